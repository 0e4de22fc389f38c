/**
 * Escapes control characters in text from the server, such as names and messages that other users wrote. Unescaped
 * control characters could move the cursor, change the window title or hide the text after them.
 */
export function escapeControlCharacters(text: string): string {
  return text.replaceAll(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Matches C0 controls except tab and newline, delete, C1 controls, and characters that change the writing direction.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches control characters.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
