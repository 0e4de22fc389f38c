import type { MatchResources, NamedRule } from '../../api/admissionregistration/match-resources.ts';
import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import type { KubeObject } from '../../api/meta.ts';

/** A webhook of a ValidatingWebhookConfiguration or MutatingWebhookConfiguration. */
export interface Webhook extends Pick<MatchResources, 'namespaceSelector' | 'objectSelector' | 'matchPolicy'> {
  readonly name?: string;
  readonly clientConfig?: {
    readonly url?: string;
    readonly service?: {
      readonly namespace?: string;
      readonly name?: string;
      readonly path?: string;
      readonly port?: number;
    };
    /** The CA certificates in PEM, encoded in base64. */
    readonly caBundle?: string;
  };
  readonly rules?: readonly Omit<NamedRule, 'resourceNames'>[];
  readonly failurePolicy?: string;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: number;
  readonly admissionReviewVersions?: readonly string[];
  /** Present for mutating webhooks only. */
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: NonNullable<PolicySpec['matchConditions']>;
}

export function webhooksOf(configuration: KubeObject): readonly Webhook[] {
  return (configuration.webhooks ?? []) as unknown as readonly Webhook[];
}
