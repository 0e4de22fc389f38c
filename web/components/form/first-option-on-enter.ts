import type { KeyboardEvent } from 'react';

/**
 * Returns a handler for Enter in a searchable field. It selects the highlighted option, or the first option if none is
 * highlighted. `isSearch` is true if the field contains a search text and not the label of the selected option. Needed
 * because Mantine highlights the first option only when the text changes, not when options arrive later. Mantine also
 * forgets the highlighted index when the dropdown opens at the same time.
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
