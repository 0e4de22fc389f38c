/**
 * Escapes the control characters in text of other users, such as names and messages on the server. Unescaped, they
 * could move the cursor, change the window title or hide what follows.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** C0 without tab and newline, delete, C1, and the characters that change the writing direction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
