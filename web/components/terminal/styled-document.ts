import { styleNonce } from '../../data/session/page-settings.ts';

/**
 * The document for the terminal: its style elements have the nonce that the content security policy requires. The
 * terminal has no setting for a nonce.
 */
export const styledDocument: Document = new Proxy(document, {
  get(target, name) {
    if (name === 'createElement') return createElement;
    const value: unknown = Reflect.get(target, name, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});

function createElement(name: string): HTMLElement {
  const element = document.createElement(name);
  if (element instanceof HTMLStyleElement) element.nonce = styleNonce;
  return element;
}
