/**
 * Text that others wrote, for a screen: what would move its cursor, change its title or hide what comes after is shown as
 * what it is. Names and messages on the server are other people's.
 */
export function printable(text: string): string {
  return text.replaceAll(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** C0 without tab and newline, delete, C1, and what turns the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
