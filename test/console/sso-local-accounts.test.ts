import { beforeAll, expect, it } from 'vitest';
import { totpCode, totpStepAt } from '../../src/auth/totp.ts';
import { expectNoProblems, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';
import { readableTexts } from './harness/secrets.ts';

const password = 'correct horse battery staple';
const newPassword = 'a brand new password';
const codeNow = (secret: string) => totpCode(secret, totpStepAt(Date.now()));

describeConsole(
  'local accounts in the console',
  (env) => {
    beforeAll(async () => {
      await env.admin.createUser('anna', password, {});
      await env.admin.createUser('bob', password, {});
    });

    it('resets a password with a link that an admin creates and that works once', async () => {
      const admin = await env.open();
      await signIn(admin.page, env.flotilla.adminKey, '/users/anna');
      await admin.page.getByRole('button', { name: 'Reset link' }).click();
      await admin.page.getByRole('button', { name: 'Create link' }).click();
      const link = await admin.page.getByLabel('Reset link', { exact: true }).innerText();
      expect(await violationsInEveryLook(admin.page)).toEqual([]);
      expectNoProblems(admin);
      await admin.context.close();

      const { hash } = new URL(link);
      const watched = await env.open();
      const { page, context } = watched;
      await page.goto(`/reset${hash}`);
      const set = page.getByRole('button', { name: 'Set password' });
      await set.waitFor();
      // The secret of the link disappears from the address bar.
      expect(new URL(page.url()).hash).toBe('');
      expect(await violationsInEveryLook(page)).toEqual([]);
      await page.locator('input[name="password"]').fill(newPassword);
      await page.locator('input[name="repeated"]').fill('something else');
      await set.click();
      await page.getByText('The passwords do not match.').waitFor();
      await page.locator('input[name="repeated"]').fill(newPassword);
      await set.click();
      await page.getByRole('link', { name: 'Continue to the sign-in page' }).click();
      await signInAs(page, 'anna', newPassword);
      await page.goto(`/reset${hash}`);
      await page.locator('input[name="password"]').fill(password);
      await page.locator('input[name="repeated"]').fill(password);
      await set.click();
      await page.getByText('ask your administrator for a new link').waitFor();
      expectNoProblems(watched);
      await context.close();
    });

    it('sets up a second factor on the own page, and then asks for its codes', async () => {
      const watched = await env.open();
      const { page, context } = watched;
      await signInAs(page, 'bob', password, '/users/bob');
      await page.getByRole('button', { name: 'Set up second factor' }).click();
      const secret = await page.getByLabel('Key', { exact: true }).innerText();
      await page.getByRole('img', { name: 'QR code of the key' }).waitFor();
      expect(await violationsInEveryLook(page)).toEqual([]);
      await page.locator('input[name="code"]').fill(codeNow(secret));
      await page.getByRole('button', { name: 'Set up', exact: true }).click();
      const codes = page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
      await expect.poll(() => codes.count()).toBe(10);
      const [first = '', second = ''] = await codes.allInnerTexts();
      await page.getByRole('button', { name: 'I have saved the codes' }).click();
      await page.getByText('Recovery codes left: 10').waitFor();
      expect(await readableTexts(page)).not.toContain(secret);

      await context.clearCookies();
      await page.goto('/users/bob');
      await page.locator('input[name="username"]').fill('bob');
      await page.locator('input[name="password"]').fill(password);
      await page.keyboard.press('Enter');
      const code = page.locator('input[name="code"]');
      await expect.poll(() => code.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await violationsInEveryLook(page)).toEqual([]);
      await code.fill('000000');
      await page.keyboard.press('Enter');
      await page.getByText('Incorrect code.').waitFor();
      await code.fill(first);
      await page.keyboard.press('Enter');
      await page.getByText('Recovery codes left: 9').waitFor();

      await page.getByRole('button', { name: 'Remove second factor' }).click();
      await code.fill(second);
      await page.getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByRole('button', { name: 'Set up second factor' }).waitFor();
      expectNoProblems(watched);
      await context.close();
    });
  },
  { auth: { password: { secondFactor: 'optional' } } },
);

describeConsole(
  'a console that requires a second factor',
  (env) => {
    it('sets it up during the sign-in and shows the recovery codes before the console', async () => {
      await env.admin.createUser('anna', password, {});
      const watched = await env.open();
      const { page, context } = watched;
      await page.goto('/keys');
      await page.locator('input[name="username"]').fill('anna');
      await page.locator('input[name="password"]').fill(password);
      await page.keyboard.press('Enter');
      const secret = await page.getByLabel('Key', { exact: true }).innerText();
      expect(await violationsInEveryLook(page)).toEqual([]);
      await page.locator('input[name="code"]').fill(codeNow(secret));
      await page.keyboard.press('Enter');
      await page.getByRole('list', { name: 'Recovery codes' }).waitFor();
      expect(await page.locator('main#page').count()).toBe(0);
      await page.getByRole('button', { name: 'I have saved the codes' }).click();
      await page.getByRole('heading', { name: 'Access keys', level: 1 }).waitFor();
      expectNoProblems(watched);
      await context.close();
    });
  },
  { auth: { password: { secondFactor: 'required' } } },
);
