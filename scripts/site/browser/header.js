const root = document.documentElement;

/** Enables the button that switches between the light and the dark theme. The browser remembers the choice. */
export function enableThemeButton() {
  const button = document.querySelector('button.theme');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = () => (root.dataset.theme ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const show = () => {
    button.textContent = isDark() ? 'Light theme' : 'Dark theme';
  };
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try {
      localStorage.setItem('flotilla-docs-theme', root.dataset.theme);
    } catch {
      // Storage is disabled, so the choice applies to this page only.
    }
    show();
  });
  system.addEventListener('change', show);
  show();
}

/** Enables the button that opens the sidebar, which is closed initially on narrow screens. */
export function enableMenu() {
  const button = document.querySelector('button.menu');
  const toggle = (open) => {
    button.setAttribute('aria-expanded', String(open));
    root.classList.toggle('menu-open', open);
  };
  button.addEventListener('click', () => toggle(button.getAttribute('aria-expanded') !== 'true'));
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !root.classList.contains('menu-open')) return;
    toggle(false);
    button.focus();
  });
  const sidebar = document.querySelector('.sidebar');
  const current = document.querySelector('.sidebar [aria-current]');
  if (current !== null) sidebar.scrollTop = current.offsetTop - sidebar.clientHeight / 2;
}
