/** Formats a double as Go's `%g` does: `1`, `0.1`, `1e+06`, `NaN`, `+Inf`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Object.is(value, -0)) return '-0';
  const size = Math.abs(value);
  // Go uses exponents below 1e-4 and from 1e6 on. JavaScript's own limits are wider.
  if (size === 0 || (size >= 1e-4 && size < 1e6)) return value.toString();
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
