export function bad(text: string, link: string, csrf: string) {
  // ruleid: text-as-markup
  document.body.innerHTML = text;
  // ruleid: text-as-markup
  document.body.insertAdjacentHTML("beforeend", text);
  // ruleid: text-as-script
  eval(text);
  // ruleid: text-as-script
  setTimeout("go()", 10);
  // ruleid: secret-kept-in-the-browser
  localStorage.setItem("csrf", csrf);
  // ruleid: cookie-written-by-script
  document.cookie = text;
  // ruleid: text-as-markup
  const markup = <div dangerouslySetInnerHTML={{ __html: text }} />;
  // ruleid: new-tab-with-a-way-back
  const out = <a href={link} target="_blank" />;
  return [markup, out];
}

export function good(text: string, link: string, scheme: string) {
  // ok: text-as-markup
  document.title = text;
  // ok: text-as-script
  setTimeout(() => document.title, 10);
  // ok: secret-kept-in-the-browser
  localStorage.setItem("scheme", scheme);
  // ok: text-as-markup
  const markup = <div>{text}</div>;
  // ok: new-tab-with-a-way-back
  const out = <a href={link} target="_blank" rel="noreferrer" />;
  return [markup, out];
}
