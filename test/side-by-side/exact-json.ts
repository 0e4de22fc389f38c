/**
 * Parses JSON with every number kept as written, `1.0` as the string `#1.0`, so that the texts are compared and not the
 * parsed values. Throws on invalid JSON.
 */
export function exactJson(text: string): unknown {
  return JSON.parse(
    text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[-+0-9.eE]*/g, (token) => (token[0] === '"' ? token : `"#${token}"`)),
  );
}
