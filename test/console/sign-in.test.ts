import { beforeAll, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { accessibilityViolations } from './harness/accessibility.ts';
import { expectNoProblems, monitoredPage, signIn, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { readableTexts } from './harness/secrets.ts';

const password = 'correct horse battery staple';
const keys = `/apis/${managementGroup}/v1/accesskeys`;

describeConsole('signing in to the console', (env) => {
  beforeAll(async () => {
    await env.admin.createUser('anna', password, { displayName: 'Anna <b>Ahoi</b>' });
  });

  async function loginsOf(user: string): Promise<string[]> {
    const { items } = await env.admin.request<{
      items: { metadata: { name: string }; spec: { type: string; user?: string } }[];
    }>('GET', keys);
    return items.filter(({ spec }) => spec.type === 'Login' && spec.user === user).map(({ metadata }) => metadata.name);
  }

  it('rejects a wrong password without keeping it, and accepts the right one with a cookie that no script can read', async () => {
    const watched = await env.open();
    const { page, context } = watched;
    await page.goto('/keys');
    await page.getByLabel('Username').fill('anna');
    await page.locator('input[name="password"]').fill('wrong horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Incorrect username or password.').waitFor();
    expect(await readableTexts(page)).not.toContain('wrong horse');

    await page.locator('input[name="password"]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Access keys', level: 1 }).waitFor();
    // Markup in a name is escaped.
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

  it('deletes the session key on sign-out, in every tab', async () => {
    const watched = await env.open();
    const { page, context } = watched;
    const before = await loginsOf('admin');
    await signIn(page, env.flotilla.adminKey);
    const other = await monitoredPage(context, env.flotilla.url);
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

  it('shows the sign-in form on every page whose session ended, and keeps the input', async () => {
    const watched = await env.open();
    const { page, context } = watched;
    await env.admin.createInstance('typed-shop', {});
    const before = new Set(await loginsOf('admin'));
    await signIn(page, env.flotilla.adminKey, '/virtual-clusters');
    const search = page.getByRole('textbox', { name: 'Search virtual clusters' });
    await search.fill('typed');
    const other = await monitoredPage(context, env.flotilla.url);
    await other.page.goto('/virtual-clusters/new');
    const name = other.page.getByRole('textbox', { name: /^Name/ });
    await name.fill('half-typed');

    for (const login of await loginsOf('admin'))
      if (!before.has(login)) await env.admin.request('DELETE', `${keys}/${login}`);
    await page.getByText('Your session has ended').waitFor();
    await other.page.getByText('Your session has ended').waitFor();
    expect(await search.isVisible()).toBe(false);

    await page.getByRole('button', { name: 'Use an access key' }).click();
    await page.locator('input[name="access-key"]').fill(env.flotilla.adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'typed-shop' }).waitFor();
    expect(await search.inputValue()).toBe('typed');
    await other.page.getByText('Your session has ended').waitFor({ state: 'hidden' });
    expect(await name.inputValue()).toBe('half-typed');
    // The list is live again.
    await env.admin.createInstance('typed-later', {});
    await page.getByRole('link', { name: 'typed-later' }).waitFor();
    expectNoProblems(watched);
    expectNoProblems(other);
    await context.close();
  });

  it.each(['light', 'dark'] as const)('is accessible in the %s theme', async (theme) => {
    const watched = await env.open({ theme });
    await watched.page.goto('/');
    await watched.page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await accessibilityViolations(watched.page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('ends the session of a page without a watch of its own too, and restores the focus', async () => {
    const watched = await env.open();
    const { page, context } = watched;
    await page.goto('/keys/new');
    const field = (name: string) => page.evaluate((is) => document.activeElement?.getAttribute('name') === is, name);
    await expect.poll(() => field('username')).toBe(true);
    await signInAs(page, 'anna', password, '/keys/new');
    const description = page.getByRole('textbox', { name: 'Description' });
    await description.fill('half a sentence');

    const user = `/apis/${managementGroup}/v1/users/anna`;
    await env.admin.request('PATCH', user, { spec: { disabled: true } });
    await page.getByText('Your session has ended').waitFor();
    await expect.poll(() => field('password')).toBe(true);
    await env.admin.request('PATCH', user, { spec: { disabled: false } });
    await page.locator('input[name="password"]').fill(password);
    await page.keyboard.press('Enter');
    await description.waitFor();
    expect(await description.inputValue()).toBe('half a sentence');
    await expect.poll(() => description.evaluate((element) => element === document.activeElement)).toBe(true);
    expectNoProblems(watched);
    await context.close();
  });
});
