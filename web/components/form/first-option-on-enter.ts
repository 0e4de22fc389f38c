import type { KeyboardEvent } from 'react';

/**
 * Returns a handler for Enter in a searchable field. It selects the highlighted option, or the first one if none is
 * highlighted. `isSearch` is true if the text of the field is a search and not the label of the selected option.
 * Mantine alone is not enough: it highlights the first option only when the text changes and not when options arrive
 * later. It also forgets the highlighted index when the dropdown opens at the same time.
 */
export function firstOptionOnEnter(isSearch: boolean): (event: KeyboardEvent<HTMLInputElement>) => void {
  return (event) => {
    const { key, currentTarget, nativeEvent } = event;
    if (key !== 'Enter' || !isSearch || nativeEvent.isComposing || currentTarget.value.trim() === '') return;
    const list = document.getElementById(currentTarget.getAttribute('aria-controls') ?? '');
    const option =
      list?.querySelector<HTMLElement>('[data-combobox-selected]') ??
      list?.querySelector<HTMLElement>('[data-combobox-option]:not([data-combobox-disabled])');
    if (option == null) return;
    event.preventDefault();
    event.stopPropagation();
    option.click();
  };
}
