/** Returns Kubernetes' message for a text that does not match a regular expression. */
export function regexMessage(rule: string, format: string, ...examples: readonly string[]): string {
  if (examples.length === 0) return `${rule} (regex used for validation is '${format}')`;
  // Kubernetes separates examples by a comma and two spaces.
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${format}')`;
}
