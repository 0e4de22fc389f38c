import { createTheme, type MantineColorsTuple } from '@mantine/core';

/** The primary color, used for interactive elements. */
const tide: MantineColorsTuple = [
  '#e6f7f9',
  '#d0ecf0',
  '#a3d9e1',
  '#72c5d1',
  '#4bb4c4',
  '#2fa5b8',
  '#148a9c',
  '#0b7285',
  '#075a69',
  '#03414d',
];

/** The grays of the dark theme, with a blue tint. */
const dark: MantineColorsTuple = [
  '#d5dde0',
  '#aebbc0',
  '#8a9aa1',
  '#62747c',
  '#3f515a',
  '#2f4049',
  '#22323a',
  '#17242b',
  '#101b21',
  '#0b1419',
];

export const theme = createTheme({
  primaryColor: 'tide',
  primaryShade: 7,
  colors: { tide, dark },
  defaultRadius: 'md',
  cursorType: 'pointer',
  fontFamily: 'Inter, "Segoe UI", system-ui, -apple-system, Roboto, "DejaVu Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: { fontWeight: '650' },
  respectReducedMotion: true,
  components: {
    // The header of a dialog must not be a `banner` landmark, because a page may have only one banner.
    Modal: { defaultProps: { attributes: { header: { role: 'presentation' } } } },
  },
});
