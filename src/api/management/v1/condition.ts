import { type Static, t } from '../../schema/schema-builder.ts';

export const conditionSchema = t.object({
  type: t.string({ description: 'Type of the condition, in CamelCase.' }),
  status: t.enumOf(['True', 'False', 'Unknown'], { description: 'Status of the condition: True, False or Unknown.' }),
  reason: t.optional(t.string({ description: 'Machine-readable reason for the status, in CamelCase.' })),
  message: t.optional(
    t.string({ description: 'Human-readable explanation of the status. For a problem, it says how to resolve it.' }),
  ),
  lastTransitionTime: t.optional(t.timestamp({ description: 'Time at which the status last changed.' })),
  observedGeneration: t.optional(
    t.integer({ description: 'The metadata.generation that the condition was computed from.' }),
  ),
});

export const conditionsSchema = t.array(conditionSchema, {
  description: 'Conditions of the object, with one entry per type.',
  mapKeys: ['type'],
});

export type Condition = Static<typeof conditionSchema>;
