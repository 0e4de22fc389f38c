import type { Quantity } from '@flotilla/kubernetes-formats';
import type { KubeObject } from '../../../api/meta.ts';
import type { AdmissionAttributes } from '../../../registry/admission-attributes.ts';
import type { ObjectScopes } from './quota-scopes.ts';

/** The amounts that an object uses, by quota name. */
export type Usage = ReadonlyMap<string, Quantity>;

/**
 * A kind for which quotas can limit more than the number of objects. For example, quotas can limit the storage that
 * claims request.
 */
export interface MeasuredKind {
  /** The resource key of the kind. */
  readonly resource: string;
  /** True if a quota with this name limits objects of the kind. */
  measures(name: string): boolean;
  /** Returns the amounts that an object uses, by quota name, without amounts of zero. Depends only on the object. */
  amountsOf(object: KubeObject): Usage;
  /** Returns the scopes that an object is in. Absent if quotas with scopes never apply to the kind. */
  scopesOf?(object: KubeObject): ObjectScopes;
  /**
   * Returns, by quota name, the containers that do not set an amount. A quota with that name requires every container
   * to set the amount.
   */
  missingIn?(object: KubeObject): ReadonlyMap<string, readonly string[]>;
  /**
   * True if quotas can refuse the update. If absent, quotas can refuse every update of the object itself, but not of
   * its subresources.
   */
  limitsUpdate?(write: Pick<AdmissionAttributes, 'subresource' | 'draft'>): boolean;
}
