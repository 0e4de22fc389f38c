/**
 * Parses JSON with every number kept as written: `1.0` becomes the string `#1.0`. Comparisons therefore see the
 * notation and not only the value. Throws on invalid JSON.
 */
export function exactJson(text: string): unknown {
  return JSON.parse(
    text.replaceAll(/"(?:[^"\\]|\\.)*"|-?\d[-+0-9.eE]*/g, (token) => (token[0] === '"' ? token : `"#${token}"`)),
  );
}
