// This script runs before the page is drawn, so that the page never appears in the wrong colors.
const root = document.documentElement;
root.classList.add('scripted');
try {
  const saved = localStorage.getItem('flotilla-docs-theme');
  if (saved === 'dark' || saved === 'light') root.dataset.theme = saved;
} catch {
  // Storage is disabled, so the theme follows the system.
}
