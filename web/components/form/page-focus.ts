/** Elements that open over the page and close again. The focus never returns to an element inside an overlay. */
const overlays = '[role="dialog"], [role="menu"], [role="listbox"]';

let lastFocused: HTMLElement | undefined;

/** Remembers the element of the page that last had the focus. Returns a function that stops the tracking. */
export function trackFocus(): () => void {
  const track = ({ target }: FocusEvent) => {
    // The page is inert when the sign-in form covers it.
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

/**
 * Restores the focus after an overlay was closed: to the element that had it before, or to the page if that element no
 * longer exists.
 */
export function restoreFocus(): void {
  if (isFocusLost()) lastFocused?.focus({ preventScroll: true });
  focusPage();
}

/** Moves the focus to `next`, or to the page, if the removed element `gone` had the focus. */
export function moveFocusFrom(gone: HTMLElement, next: HTMLElement | undefined): void {
  if (lastFocused !== gone || gone.isConnected) return;
  lastFocused = next ?? document.getElementById('page') ?? undefined;
  if (isFocusLost()) lastFocused?.focus({ preventScroll: next === undefined });
}

/** Focuses the page if a navigation removed the element that had the focus. */
export function focusPage(): void {
  if (isFocusLost() && lastFocused !== undefined) document.getElementById('page')?.focus({ preventScroll: true });
}
