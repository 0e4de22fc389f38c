import type { Clock } from '../lib/clock.ts';
import type { Sealer } from '../seal/sealer.ts';
import type { ManagementSettings } from './settings.ts';
import type { AttachableState } from './state.ts';

/** What the rules of the management kinds work with. */
export interface ManagementDependencies {
  readonly state: AttachableState;
  readonly settings: ManagementSettings;
  readonly clock: Clock;
  readonly sealer: Sealer;
}
