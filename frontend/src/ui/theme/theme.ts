import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

const tide: MantineColorsTuple = [
  "#e8f4f4",
  "#d3e6e7",
  "#a8cfd1",
  "#7bb6b9",
  "#56a1a5",
  "#3a8489",
  "#23696f",
  "#14545c",
  "#0f434a",
  "#0a3339",
];

// Gray shades with a touch of sea blue, from light to dark.
const gray: MantineColorsTuple = [
  "#f6f8f8",
  "#eef2f3",
  "#e1e7e9",
  "#ced7da",
  "#b3bfc4",
  "#8b9aa1",
  "#66757c",
  "#4a585f",
  "#323e44",
  "#1f282d",
];

const dark: MantineColorsTuple = [
  "#d5dde0",
  "#bac5ca",
  "#a2b0b6",
  "#7c8c93",
  "#566570",
  "#36444b",
  "#263238",
  "#182125",
  "#121a1d",
  "#0c1214",
];

/** One typeface, four sizes: 12, 14, 16 and 22 px. */
export const theme = createTheme({
  primaryColor: "tide",
  primaryShade: { light: 7, dark: 6 },
  colors: { tide, gray, dark },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: "0.75rem", sm: "0.875rem", md: "1rem", lg: "1rem", xl: "1.375rem" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "1.375rem", lineHeight: "1.3" },
      h2: { fontSize: "1rem", lineHeight: "1.4" },
      h3: { fontSize: "0.875rem", lineHeight: "1.4" },
    },
  },
  defaultRadius: "sm",
  respectReducedMotion: true,
  cursorType: "pointer",
  components: {
    TextInput: { defaultProps: { size: "sm" } },
    // Most fields are required: those that are optional say so.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    Radio: { defaultProps: { size: "sm" } },
  },
});

/** Colors of text and surfaces, with a text contrast of at least 4.5. */
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-body": "#f6f8f8",
    "--mantine-color-text": "#1f282d",
    "--mantine-color-dimmed": "#4f5d64",
    "--mantine-color-placeholder": "#66757c",
    "--mantine-color-error": "#b3261e",
    "--mantine-color-anchor": "#14545c",
    "--mantine-color-default": "#ffffff",
    "--mantine-color-default-border": "#b3bfc4",
    "--surface": "#ffffff",
    "--surface-raised": "#ffffff",
    "--edge": "#dbe2e4",
    "--shadow": "rgb(0 0 0 / 28%)",
    "--accent": "#14545c",
    "--accent-soft": "#e8f4f4",
    "--warn-soft": "#fdf3e1",
    "--warn-edge": "#e0a63c",
    "--warn-text": "#7a4f01",
    "--bad-soft": "#fcecea",
    "--bad-edge": "#d5695f",
    "--risk-low": "#00664b",
    "--risk-moderate": "#7a4f01",
    "--risk-high": "#a63f00",
  },
  dark: {
    "--mantine-color-body": "#10171a",
    "--mantine-color-text": "#dce3e6",
    "--mantine-color-dimmed": "#a2b0b6",
    "--mantine-color-placeholder": "#93a1a8",
    "--mantine-color-error": "#ff9d94",
    "--mantine-color-anchor": "#8fd0d3",
    "--mantine-color-default": "#141c20",
    "--mantine-color-default-border": "#46555d",
    "--surface": "#182125",
    "--surface-raised": "#1e292e",
    "--edge": "#2c393f",
    "--shadow": "rgb(255 255 255 / 28%)",
    "--accent": "#8fd0d3",
    "--accent-soft": "#1b3337",
    "--warn-soft": "#2e2715",
    "--warn-edge": "#a67c2d",
    "--warn-text": "#e8c27a",
    "--bad-soft": "#35201e",
    "--bad-edge": "#b0564d",
    "--risk-low": "#4fcda6",
    "--risk-moderate": "#f0c25c",
    "--risk-high": "#ff9a62",
  },
});
