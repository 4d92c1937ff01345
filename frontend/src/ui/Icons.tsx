import type { ReactNode } from "react";

/** Build an icon from its drawing. */
function iconOf(drawing: ReactNode) {
  return () => (
    <svg
      aria-hidden="true"
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {drawing}
    </svg>
  );
}

export const SunIcon = iconOf(
  <>
    <circle cx="8" cy="8" r="3" />
    <path d="M8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M3 13l1-1M12 4l1-1" />
  </>,
);

export const MoonIcon = iconOf(<path d="M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7z" />);

export const AutoIcon = iconOf(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M8 2v12a6 6 0 0 0 0-12z" fill="currentColor" />
  </>,
);

export const BellIcon = iconOf(
  <path d="M3 11.500h10c-1-1-1.500-2-1.500-4.500a3.500 3.500 0 0 0-7 0c0 2.500-.500 3.500-1.500 4.500zM6.500 13.500a1.500 1.500 0 0 0 3 0" />,
);

export const GlobeIcon = iconOf(
  <>
    <circle cx="8" cy="8" r="6" />
    <path d="M2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12" />
  </>,
);

export function Logo() {
  return (
    <svg aria-hidden="true" width="24" height="24" viewBox="0 0 32 32">
      <rect width="32" height="32" rx="7" fill="#14545c" />
      <path d="M6 19h20l-3.400 6.200a2 2 0 0 1-1.800 1H11.200a2 2 0 0 1-1.800-1z" fill="#fff" />
      <rect x="8.500" y="12.500" width="6.500" height="5" rx="1" fill="#9fd3d4" />
      <rect x="17" y="12.500" width="6.500" height="5" rx="1" fill="#fff" />
      <rect x="12.750" y="6" width="6.500" height="5" rx="1" fill="#e69f00" />
    </svg>
  );
}

const pinIcon = (fill: string) =>
  iconOf(<path d="M5.500 1.500h5M6.500 1.500v5L4 9.500h8L9.500 6.500v-5M8 9.500v5" fill={fill} strokeWidth="1.3" />);

export const PinIcon = pinIcon("none");
export const PinnedIcon = pinIcon("currentColor");

export const SearchIcon = iconOf(
  <>
    <circle cx="7" cy="7" r="4.500" />
    <path d="M10.500 10.500L14.500 14.500" />
  </>,
);

export const PersonIcon = iconOf(
  <>
    <circle cx="8" cy="5" r="3" />
    <path d="M2.500 14.500a5.500 5.500 0 0 1 11 0" />
  </>,
);

export const CheckIcon = iconOf(<path d="M3 8.500l3.500 3.500L13 4.500" />);
