import { type Static, t } from '../../schema/build.ts';

export const conditionSchema = t.object({
  type: t.string({ description: 'What the condition is about.' }),
  status: t.enumOf(['True', 'False', 'Unknown'], { description: 'Whether it holds.' }),
  reason: t.optional(t.string({ description: 'Why, in one word, for programs.' })),
  message: t.optional(t.string({ description: 'Why, and what to do about it, for people.' })),
  lastTransitionTime: t.optional(t.timestamp({ description: 'When the status last changed.' })),
  observedGeneration: t.optional(t.integer({ description: 'Generation of the object that was looked at.' })),
});

export const conditionsSchema = t.array(conditionSchema, {
  description: 'What is known about the object, one entry per type.',
  mapKeys: ['type'],
});

export type Condition = Static<typeof conditionSchema>;
