import { type FieldError, forbiddenField, invalid } from '../../api/field-error.ts';
import { isAddressRange } from '../../auth/address-ranges.ts';

/**
 * Maximum number of address ranges of a key or user. Every request with the key is compared with all of these ranges.
 */
const maxRanges = 100;

/** Validates `spec.allowedCIDRs`. */
export function addressRangeErrors(ranges: readonly string[] | undefined): FieldError[] {
  const field = 'spec.allowedCIDRs';
  if (ranges === undefined) return [];
  if (ranges.length > maxRanges) {
    return [forbiddenField(field, `may have at most ${maxRanges} entries, but has ${ranges.length}`)];
  }
  return ranges.flatMap((range, index) =>
    isAddressRange(range)
      ? []
      : [invalid(`${field}[${index}]`, range, 'must be an IP address or a range such as 10.0.0.0/8 or 2001:db8::/32')],
  );
}
