import type { Terminal } from '@xterm/xterm';
import { styleNonce } from '../../data/session/page-settings.ts';

/**
 * Opens a terminal in an element. To do so, the terminal library calls `document.createElement` for its style elements,
 * and has no setting for a nonce. This function therefore adds the nonce that the content security policy requires.
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
