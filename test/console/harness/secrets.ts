import type { Page } from 'playwright-core';

/** Returns all texts of a page in which a script could read a secret, joined to one text. */
export async function readableTexts(page: Page): Promise<string> {
  return await page.evaluate(async () => {
    const databases = await indexedDB.databases();
    const inputs = [...document.querySelectorAll('input, textarea')].map((field) => (field as HTMLInputElement).value);
    return JSON.stringify([
      document.documentElement.outerHTML,
      inputs,
      { ...localStorage },
      { ...sessionStorage },
      document.cookie,
      location.href,
      history.state,
      databases,
      await caches.keys(),
    ]);
  });
}
