/**
 * Elements that open over the page and close again. After an overlay closes, the focus never returns to an element
 * inside it.
 */
const overlays = '[role="dialog"], [role="menu"], [role="listbox"]';

let lastFocused: HTMLElement | undefined;

/** Remembers the element of the page that last had the focus. Returns a function that stops the tracking. */
export function trackFocus(): () => void {
  const track = ({ target }: FocusEvent) => {
    // Ignores the focus if the page is inert, because the sign-in form then covers the page.
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
 * Restores the focus after an overlay was closed: to the page element that last had the focus, or to the page itself if
 * that element no longer exists.
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
