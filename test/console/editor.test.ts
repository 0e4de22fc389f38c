import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { managementGroup, managementVersion } from '../../src/api/naming.ts';
import { accessibilityViolations, violationsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';

const apiVersion = `${managementGroup}/${managementVersion}`;
const projects = `/apis/${apiVersion}/projects`;

type Project = { spec: Record<string, unknown> };

describeConsole('the editor', (env) => {
  async function createProject(name: string): Promise<void> {
    const spec = { displayName: 'Sea', description: 'old' };
    await env.admin.request('POST', projects, { apiVersion, kind: 'Project', metadata: { name }, spec });
  }

  const specOf = async (name: string) => (await env.admin.request<Project>('GET', `${projects}/${name}`)).spec;
  const change = async (name: string, spec: object) =>
    await env.admin.request('PATCH', `${projects}/${name}?fieldManager=terraform`, { spec });
  const editorOf = (page: Page) => page.getByRole('textbox', { name: 'YAML' });
  const problemsOf = (page: Page) => page.getByRole('list', { name: 'Problems' });

  /** Moves the cursor to the end of a line. */
  async function goTo(page: Page, line: string): Promise<Locator> {
    const found = editorOf(page).getByText(line).first();
    await found.click();
    await page.keyboard.press('End');
    return found;
  }

  it('completes and explains fields, marks problems while typing, then shows a diff and saves', async () => {
    await createProject('sea');
    const watched = await env.open();
    const { page } = watched;
    const schema = page.waitForResponse((response) => response.url().includes('/openapi/v3/'));
    await signIn(page, env.flotilla.adminKey, '/projects/sea?tab=yaml');
    await editorOf(page).waitFor();
    expect((await schema).status()).toBe(200);
    expect(await editorOf(page).innerText()).not.toContain('managedFields');

    // Completion suggests members of the object at the cursor.
    await goTo(page, 'displayName: Sea');
    await page.keyboard.type('\nquo');
    await page.keyboard.press('Control+Space');
    const completions = page.getByRole('listbox', { name: 'Completions' });
    await completions.getByRole('option', { name: /^quotas/ }).click();
    await editorOf(page).getByText('quotas:').waitFor();
    await page.keyboard.type('project: 5');

    // A schema violation is shown at its line and disappears when fixed.
    await problemsOf(page).getByText('Must be a').waitFor();
    await page.keyboard.press('Control+z');
    for (let times = 0; times < 10 && (await editorOf(page).innerText()).includes('quo'); times++) {
      await page.keyboard.press('Control+z');
    }
    await problemsOf(page).waitFor({ state: 'detached' });

    // Invalid YAML is shown too.
    await goTo(page, 'description: old');
    await page.keyboard.type(' a: b: c');
    await problemsOf(page).getByText('Bad indentation').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await goTo(page, 'description: old');
    for (let times = 0; times < 8 && (await editorOf(page).innerText()).includes('old '); times++) {
      await page.keyboard.press('Backspace');
    }
    await problemsOf(page).waitFor({ state: 'detached' });

    // A hint for the field at the cursor, and a tooltip on hover.
    const name = await goTo(page, 'displayName');
    await page.getByText('displayName: string. Human-readable name.').waitFor();
    await name.hover();
    await page.getByText('Human-readable name.', { exact: true }).waitFor();
    await page.mouse.move(0, 0);

    // The name of an object cannot be changed.
    await goTo(page, 'name: sea');
    await page.keyboard.type('horse');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await problemsOf(page).getByText('This field cannot be changed; its value must be sea.').waitFor();
    await page.getByRole('button', { name: 'Discard changes' }).click();
    await page.getByText('No changes.').waitFor();

    // No keyboard trap: Escape and then Tab leaves the editor.
    await goTo(page, 'description: old');
    await page.keyboard.type(' and new');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('.cm-editor') === null)).toBe(true);
    expect(await violationsInBothThemes(page)).toEqual([]);

    // The changes are shown before they are saved.
    await editorOf(page).focus();
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 field changes').waitFor();
    await dialog.getByRole('textbox', { name: 'Changes' }).getByText('old and new').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expect((await specOf('sea')).description).toBe('old');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved sea').waitFor();
    await page.getByText('No changes.').waitFor();
    expect((await specOf('sea')).description).toBe('old and new');

    // Server-managed fields are visible on request.
    await page.getByText('Status and server-managed fields').click();
    await page.getByRole('textbox', { name: 'Server-managed fields' }).getByText('resourceVersion').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('follows the object, keeps edits, shows changes by others with their manager, and merges both', async () => {
    await createProject('lake');
    const watched = await env.open();
    const { page } = watched;
    await signIn(page, env.flotilla.adminKey, '/projects/lake?tab=yaml');
    await editorOf(page).getByText('description: old').waitFor();

    // Without edits, the text is updated when the object changes.
    await change('lake', { description: 'live' });
    await editorOf(page).getByText('description: live').waitFor();

    // Edits are restored after a visit to another tab.
    await goTo(page, 'description: live');
    await page.keyboard.type(' and mine');
    await page.getByText('You have unsaved changes.').waitFor();
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByRole('tab', { name: 'YAML' }).click();
    await editorOf(page).getByText('description: live and mine').waitFor();
    await page.getByText('Your unsaved changes were restored').waitFor();

    // If another client changes a different field, the edits can be merged automatically.
    await change('lake', { displayName: 'Great lake' });
    await page.getByText('This object was changed while you were editing').waitFor();
    const changes = page.getByRole('list', { name: 'Changes made by others' });
    await changes.getByText('spec.displayName was "Sea" and is now "Great lake"').waitFor();
    await changes.getByText('by terraform').waitFor();
    await page.getByText('can be merged automatically').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Merge changes' }).click();
    await editorOf(page).getByText('displayName: Great lake').waitFor();
    await editorOf(page).getByText('description: live and mine').waitFor();

    // If another client changes the same field, the user must choose.
    await change('lake', { description: 'theirs' });
    await page.getByRole('radio', { name: 'Mine: "live and mine"' }).waitFor();
    expect(await page.getByRole('button', { name: 'Merge changes' }).isDisabled()).toBe(true);
    expect(await violationsInBothThemes(page)).toEqual([]);
    await page.getByRole('radio', { name: 'Mine: "live and mine"' }).check();
    await page.getByRole('button', { name: 'Merge changes' }).click();
    await page.getByText('This object was changed').waitFor({ state: 'detached' });

    // If another client changes the object during the review, nothing is overwritten and no edit is lost.
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 field changes').waitFor();
    await change('lake', { displayName: 'Greatest lake' });
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await changes.getByText('"Greatest lake"').waitFor();
    expect(await specOf('lake')).toMatchObject({ displayName: 'Greatest lake', description: 'theirs' });
    await page.getByRole('button', { name: 'Merge changes' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved lake').waitFor();
    expect(await specOf('lake')).toMatchObject({ displayName: 'Greatest lake', description: 'live and mine' });

    // The edits are kept even if the object is deleted.
    await goTo(page, 'description: live and mine');
    await page.keyboard.type(' to the last');
    await page.getByText('You have unsaved changes.').waitFor();
    await env.admin.request('DELETE', `${projects}/lake`);
    await page.getByText('lake was deleted').waitFor();
    await page.getByRole('textbox', { name: 'Unsaved YAML' }).getByText('live and mine to the last').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
