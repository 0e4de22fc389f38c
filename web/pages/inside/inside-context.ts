import { createContext, useContext } from 'react';
import type { ApiRoot } from '../../data/api-root.ts';

/** The virtual cluster that the explorer shows. */
export interface Inside {
  readonly root: ApiRoot;
  readonly project: string;
  readonly name: string;
  /** False while the virtual cluster is not usable. No requests are sent then, as a request would wake it. */
  readonly isAwake: boolean;
}

export const InsideContext = createContext<Inside>({ root: '', project: '', name: '', isAwake: false });

export function useInside(): Inside {
  return useContext(InsideContext);
}
