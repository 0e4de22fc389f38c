/** What comes in front of the page and goes again: nobody wants to be led back into it. */
const inFront = '[role="dialog"], [role="menu"], [role="listbox"]';

let last: HTMLElement | undefined;

/** Remembers where in the page the focus was. Ends with what it returns. */
export function followFocus(): () => void {
  const note = ({ target }: FocusEvent) => {
    // While somebody signs in again the page waits behind that.
    const waits = document.getElementById('page')?.closest('[inert]') != null;
    if (!waits && target instanceof HTMLElement && target.closest(inFront) === null) last = target;
  };
  document.addEventListener('focusin', note);
  return () => {
    document.removeEventListener('focusin', note);
    last = undefined;
  };
}

function isLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** For what came in front of the page and is gone: back to where one was, and if that is gone too, to the page. */
export function giveFocusBack(): void {
  if (isLost()) last?.focus({ preventScroll: true });
  arriveAtPage();
}

/** For what is gone from the page with the focus, or will not be there to lead back to: what takes its place, or the page. */
export function replaceFocus(gone: HTMLElement, next: HTMLElement | undefined): void {
  if (last !== gone || gone.isConnected) return;
  last = next ?? document.getElementById('page') ?? undefined;
  if (isLost()) last?.focus({ preventScroll: next === undefined });
}

/** For another page: whoever came by a link that has gone with the page before is at the beginning of this one. */
export function arriveAtPage(): void {
  if (isLost() && last !== undefined) document.getElementById('page')?.focus({ preventScroll: true });
}
