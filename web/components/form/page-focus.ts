/** Overlays: the focus is never restored into them, as they close again. */
const overlays = '[role="dialog"], [role="menu"], [role="listbox"]';

let lastFocused: HTMLElement | undefined;

/** Tracks the focused element of the page. Returns a function that stops the tracking. */
export function trackFocus(): () => void {
  const track = ({ target }: FocusEvent) => {
    // While the sign-in form covers the page, the page is inert.
    const isInert = document.getElementById('page')?.closest('[inert]') != null;
    if (!isInert && target instanceof HTMLElement && target.closest(overlays) === null) lastFocused = target;
  };
  document.addEventListener('focusin', track);
  return () => {
    document.removeEventListener('focusin', track);
    lastFocused = undefined;
  };
}

function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body;
}

/** Restores the focus after an overlay closed: to the last focused element, or to the page if that element is gone. */
export function restoreFocus(): void {
  if (isFocusLost()) lastFocused?.focus({ preventScroll: true });
  focusPage();
}

/** Moves the focus when the focused element `gone` was removed: to `next`, or to the page. */
export function moveFocusFrom(gone: HTMLElement, next: HTMLElement | undefined): void {
  if (lastFocused !== gone || gone.isConnected) return;
  lastFocused = next ?? document.getElementById('page') ?? undefined;
  if (isFocusLost()) lastFocused?.focus({ preventScroll: next === undefined });
}

/** Focuses the new page after a navigation removed the link that had the focus. */
export function focusPage(): void {
  if (isFocusLost() && lastFocused !== undefined) document.getElementById('page')?.focus({ preventScroll: true });
}
