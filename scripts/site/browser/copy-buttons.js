/** Adds a copy button to each code block, except the output of commands. */
export function addCopyButtons() {
  for (const block of document.querySelectorAll('.code:not([data-language="text"])')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      const copied = await copyText(block.querySelector('code').textContent);
      button.textContent = copied ? 'Copied' : 'Copying is not allowed';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    block.append(button);
  }
}

/**
 * Copies a text. Resolves with false if the browser refuses. Browsers allow copying only on pages that come from HTTPS
 * or from this computer.
 */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
