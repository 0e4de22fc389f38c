/** Formats a double as Go does in its shortest form: `1`, `0.1`, `1e+06`, `NaN`, `+Inf`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const size = Math.abs(value);
  // Go switches to exponents this early in its shortest form.
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return value.toString();
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
