import { createContext, useContext } from 'react';
import type { ApiRoot } from '../../data/api-root.ts';

/** The virtual cluster that the explorer shows. */
export interface ExplorerTarget {
  readonly root: ApiRoot;
  readonly project: string;
  readonly name: string;
  /**
   * False if the virtual cluster cannot be used. The explorer then sends no requests, because a request would wake the
   * virtual cluster.
   */
  readonly isAwake: boolean;
}

export const ExplorerContext = createContext<ExplorerTarget>({ root: '', project: '', name: '', isAwake: false });

export function useExplorer(): ExplorerTarget {
  return useContext(ExplorerContext);
}
