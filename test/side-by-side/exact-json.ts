/**
 * A JSON text with every number kept as it was written, `1.0` as the string `#1.0`, so that two texts are compared and
 * not what a parser makes of them. Throws where it is no JSON.
 */
export function exactJson(text: string): unknown {
  return JSON.parse(
    text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[-+0-9.eE]*/g, (token) => (token[0] === '"' ? token : `"#${token}"`)),
  );
}
