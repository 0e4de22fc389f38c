import { dryRunAuditAnnotation, isOwnAuditAnnotation } from '../api/naming.ts';

/**
 * The limits of the audit annotations that all policies and webhooks may add to one request: their number, and the
 * characters of their keys and values.
 */
const maxCount = 64;
const maxLength = 16_384;

/**
 * The annotations of the audit event of one request. As in Kubernetes, the first value of a key is kept and later
 * values are dropped.
 */
export class AuditAnnotations {
  readonly #values: Record<string, string> = {};
  #admissionCount = 0;
  #admissionLength = 0;

  /** A copy of the annotations that were added until now. */
  get values(): Readonly<Record<string, string>> {
    return { ...this.#values };
  }

  /** Adds an annotation of the server. */
  add(key: string, value: string): void {
    if (!Object.hasOwn(this.#values, key)) this.#values[key] = value;
  }

  /**
   * Adds an annotation from a tenant's policy or webhook. Drops the annotation if its key belongs to the server, or if
   * the annotations from policies and webhooks would exceed a limit.
   */
  addOfAdmission(key: string, value: string): void {
    const length = this.#admissionLength + key.length + value.length;
    if (this.#admissionCount === maxCount || length > maxLength) return;
    if (Object.hasOwn(this.#values, key) || isOwnAuditAnnotation(key)) return;
    this.#values[key] = value;
    this.#admissionCount++;
    this.#admissionLength = length;
  }

  /** Marks the request as a dry run. */
  markDryRun(): void {
    this.#values[dryRunAuditAnnotation] = 'true';
  }
}
