import { createContext, useContext } from 'react';
import type { ApiRoot } from '../../data/api-root.ts';

/** The virtual cluster that the parts of the page look into. */
export interface Inside {
  readonly root: ApiRoot;
  readonly project: string;
  readonly name: string;
  /** False while nobody gets in: then nothing is asked of it, as asking would wake it. */
  readonly isAwake: boolean;
}

export const InsideContext = createContext<Inside>({ root: '', project: '', name: '', isAwake: false });

export function useInside(): Inside {
  return useContext(InsideContext);
}
