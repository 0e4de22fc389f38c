import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { setIfAbsent, setIfZero } from './set-defaults.ts';

/** The defaults of flowcontrol.apiserver.k8s.io/v1. */
export const flowcontrolDefaults: Readonly<Record<string, StructDefault>> = {
  'flowcontrol.FlowSchemaSpec': (spec) => setIfZero(spec, { matchingPrecedence: 1000 }),
  'flowcontrol.ExemptPriorityLevelConfiguration': (exempt) =>
    setIfAbsent(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 }),
  'flowcontrol.LimitedPriorityLevelConfiguration': (limited) =>
    setIfAbsent(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 }),
  'flowcontrol.QueuingConfiguration': (queuing) =>
    setIfZero(queuing, { handSize: 8, queues: 64, queueLengthLimit: 50 }),
};
