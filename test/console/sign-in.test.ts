import { beforeAll, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { accessibilityFaults } from './harness/accessibility.ts';
import { expectNoProblems, signIn, signInAs, watchedPage } from './harness/browser.ts';
import { describeConsole } from './harness/console-bench.ts';
import { readableTexts } from './harness/secrets.ts';

const password = 'correct horse battery staple';
const keys = `/apis/${managementGroup}/v1/accesskeys`;

describeConsole('signing in to the console', (bench) => {
  beforeAll(async () => {
    await bench.admin.createUser('anna', password, { displayName: 'Anna <b>Ahoi</b>' });
  });

  async function loginsOf(user: string): Promise<string[]> {
    const { items } = await bench.admin.ask<{
      items: { metadata: { name: string }; spec: { type: string; user?: string } }[];
    }>('GET', keys);
    return items.filter(({ spec }) => spec.type === 'Login' && spec.user === user).map(({ metadata }) => metadata.name);
  }

  it('says no to a wrong password, keeps it nowhere, and lets the right one in with a cookie that no script reads', async () => {
    const watched = await bench.open();
    const { page, context } = watched;
    await page.goto('/keys');
    await page.getByLabel('User name').fill('anna');
    await page.locator('input[name="password"]').fill('wrong horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The user name or the password is wrong.').waitFor();
    expect(await readableTexts(page)).not.toContain('wrong horse');

    await page.locator('input[name="password"]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Access keys', level: 1 }).waitFor();
    // Markup in a name is text.
    await page.getByRole('button', { name: 'Anna <b>Ahoi</b>' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/keys');

    const [cookie, ...others] = await context.cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' });
    expect(await loginsOf('anna')).toHaveLength(1);
    const texts = await readableTexts(page);
    for (const secret of [password, cookie?.value ?? 'none', 'flk_']) expect(texts).not.toContain(secret);
    expectNoProblems(watched);
    await context.close();
  });

  it('ends the key when somebody signs out, in every tab', async () => {
    const watched = await bench.open();
    const { page, context } = watched;
    const before = await loginsOf('admin');
    await signIn(page, bench.flotilla.adminKey);
    const other = await watchedPage(context, bench.flotilla.url);
    await other.page.goto('/projects');
    await other.page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    expect(await loginsOf('admin')).toHaveLength(before.length + 1);

    await page.getByRole('button', { name: 'Administrator' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await other.page.getByText('Your session has ended').waitFor();
    expect(await loginsOf('admin')).toEqual(before);
    expect(await context.cookies()).toEqual([]);
    expectNoProblems(watched);
    expectNoProblems(other);
    await context.close();
  });

  it('puts the sign-in before every page whose key has ended, and goes on with what was typed', async () => {
    const watched = await bench.open();
    const { page, context } = watched;
    await bench.admin.createInstance('typed-shop', {});
    const before = new Set(await loginsOf('admin'));
    await signIn(page, bench.flotilla.adminKey, '/virtual-clusters');
    const search = page.getByRole('textbox', { name: 'Search the virtual clusters' });
    await search.fill('typed');
    const other = await watchedPage(context, bench.flotilla.url);
    await other.page.goto('/virtual-clusters/new');
    const name = other.page.getByRole('textbox', { name: /^Name/ });
    await name.fill('half-typed');

    for (const login of await loginsOf('admin'))
      if (!before.has(login)) await bench.admin.ask('DELETE', `${keys}/${login}`);
    await page.getByText('Your session has ended').waitFor();
    await other.page.getByText('Your session has ended').waitFor();
    expect(await search.isVisible()).toBe(false);

    await page.getByText('Access key', { exact: true }).click();
    await page.locator('input[name="access-key"]').fill(bench.flotilla.adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'typed-shop' }).waitFor();
    expect(await search.inputValue()).toBe('typed');
    await other.page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    expect(await name.inputValue()).toBe('half-typed');
    // And it is live again.
    await bench.admin.createInstance('typed-later', {});
    await page.getByRole('link', { name: 'typed-later' }).waitFor();
    expectNoProblems(watched);
    expectNoProblems(other);
    await context.close();
  });

  it.each(['light', 'dark'] as const)('keeps nobody out in the %s theme', async (theme) => {
    const watched = await bench.open({ theme });
    await watched.page.goto('/');
    await watched.page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await accessibilityFaults(watched.page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('ends a page that follows nothing itself too, and leads the hand back to where it was', async () => {
    const watched = await bench.open();
    const { page, context } = watched;
    await page.goto('/keys/new');
    const field = (name: string) => page.evaluate((is) => document.activeElement?.getAttribute('name') === is, name);
    await expect.poll(() => field('username')).toBe(true);
    await signInAs(page, 'anna', password, '/keys/new');
    const description = page.getByRole('textbox', { name: 'Description' });
    await description.fill('half a sentence');

    const user = `/apis/${managementGroup}/v1/users/anna`;
    await bench.admin.ask('PATCH', user, { spec: { disabled: true } });
    await page.getByText('Your session has ended').waitFor();
    await expect.poll(() => field('password')).toBe(true);
    await bench.admin.ask('PATCH', user, { spec: { disabled: false } });
    await page.locator('input[name="password"]').fill(password);
    await page.keyboard.press('Enter');
    await description.waitFor();
    expect(await description.inputValue()).toBe('half a sentence');
    await expect.poll(() => description.evaluate((element) => element === document.activeElement)).toBe(true);
    expectNoProblems(watched);
    await context.close();
  });
});
