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

/** `status.observedGeneration` of kinds with a condition `Ready`. */
export const observedGenerationSchema = t.optional(
  t.integer({
    description:
      'The metadata.generation that the phase and the condition Ready describe. 0 until the server has processed the object for the first time. While it is less than metadata.generation, the server has not processed the last change yet.',
  }),
);

export type Condition = Static<typeof conditionSchema>;
