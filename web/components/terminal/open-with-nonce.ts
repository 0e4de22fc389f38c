import type { Terminal } from '@xterm/xterm';
import { styleNonce } from '../../data/session/page-settings.ts';

/**
 * Opens a terminal in an element. The style elements that the terminal creates get the nonce that the content security policy
 * requires. The terminal has no setting for that, and creates them in this call with `document.createElement`.
 */
export function openWithNonce(terminal: Terminal, parent: HTMLElement): void {
  const create = Document.prototype.createElement;
  const createWithNonce = (name: string): HTMLElement => {
    const element: HTMLElement = create.call(document, name);
    if (element instanceof HTMLStyleElement) element.nonce = styleNonce;
    return element;
  };
  Object.defineProperty(document, 'createElement', { value: createWithNonce, configurable: true });
  try {
    terminal.open(parent);
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}
