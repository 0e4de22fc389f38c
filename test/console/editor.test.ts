import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { managementGroup, managementVersion } from '../../src/api/naming.ts';
import { accessibilityFaults, faultsInBothThemes } from './harness/accessibility.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-bench.ts';

const apiVersion = `${managementGroup}/${managementVersion}`;
const projects = `/apis/${apiVersion}/projects`;

type Project = { spec: Record<string, unknown> };

describeConsole('the editor', (bench) => {
  async function createProject(name: string): Promise<void> {
    const spec = { displayName: 'Sea', description: 'old' };
    await bench.admin.ask('POST', projects, { apiVersion, kind: 'Project', metadata: { name }, spec });
  }

  const specOf = async (name: string) => (await bench.admin.ask<Project>('GET', `${projects}/${name}`)).spec;
  const change = async (name: string, spec: object) =>
    await bench.admin.ask('PATCH', `${projects}/${name}?fieldManager=terraform`, { spec });
  const editorOf = (page: Page) => page.getByRole('textbox', { name: 'YAML' });
  const wrongs = (page: Page) => page.getByRole('list', { name: 'What is wrong with the text' });

  /** The line of a field, with the cursor at its end. */
  async function goTo(page: Page, line: string): Promise<Locator> {
    const found = editorOf(page).getByText(line).first();
    await found.click();
    await page.keyboard.press('End');
    return found;
  }

  it('proposes fields, tells what they are, and marks what is wrong while one types; then compares and saves', async () => {
    await createProject('sea');
    const watched = await bench.open();
    const { page } = watched;
    const schema = page.waitForResponse((response) => response.url().includes('/openapi/v3/'));
    await signIn(page, bench.flotilla.adminKey, '/projects/sea?tab=yaml');
    await editorOf(page).waitFor();
    expect((await schema).status()).toBe(200);
    expect(await editorOf(page).innerText()).not.toContain('managedFields');

    // Completion, in the object that the line is in.
    await goTo(page, 'displayName: Sea');
    await page.keyboard.type('\nquo');
    await page.keyboard.press('Control+Space');
    const proposals = page.getByRole('listbox', { name: 'Completions' });
    await proposals.getByRole('option', { name: /^quotas/ }).click();
    await editorOf(page).getByText('quotas:').waitFor();
    await page.keyboard.type('project: 5');

    // What the schema does not allow is told at its line, in words, and is gone when it is mended.
    await wrongs(page).getByText('Must be a').waitFor();
    await page.keyboard.press('Control+z');
    for (let times = 0; times < 10 && (await editorOf(page).innerText()).includes('quo'); times++) {
      await page.keyboard.press('Control+z');
    }
    await wrongs(page).waitFor({ state: 'detached' });

    // What is no YAML, too.
    await goTo(page, 'description: old');
    await page.keyboard.type(' a: b: c');
    await wrongs(page).getByText('Bad indentation').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await goTo(page, 'description: old');
    for (let times = 0; times < 8 && (await editorOf(page).innerText()).includes('old '); times++) {
      await page.keyboard.press('Backspace');
    }
    await wrongs(page).waitFor({ state: 'detached' });

    // A hint for whoever is at a name, and for whoever points at one.
    const name = await goTo(page, 'displayName');
    await page.getByText('displayName: text. Human-readable name.').waitFor();
    await name.hover();
    await page.getByText('Human-readable name.', { exact: true }).waitFor();
    await page.mouse.move(0, 0);

    // The name of an object is what it is.
    await goTo(page, 'name: sea');
    await page.keyboard.type('horse');
    await page.getByRole('button', { name: 'Review and save' }).click();
    await wrongs(page).getByText('This cannot be changed: it is sea.').waitFor();
    await page.getByRole('button', { name: 'Drop the changes' }).click();
    await page.getByText('Nothing is changed.').waitFor();

    // The keyboard is not caught: Escape and then Tab leaves.
    await goTo(page, 'description: old');
    await page.keyboard.type(' and new');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('.cm-editor') === null)).toBe(true);
    expect(await faultsInBothThemes(page)).toEqual([]);

    // What changes is shown before it is saved.
    await editorOf(page).focus();
    await page.keyboard.press('Control+s');
    const dialog = page.getByRole('dialog');
    await dialog.getByText('One field changes').waitFor();
    await dialog.getByRole('textbox', { name: 'What changes' }).getByText('old and new').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expect((await specOf('sea')).description).toBe('old');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('sea is saved').waitFor();
    await page.getByText('Nothing is changed.').waitFor();
    expect((await specOf('sea')).description).toBe('old and new');

    // What the server writes is there to be looked at.
    await page.getByText('Status, and what the server keeps about it').click();
    await page.getByRole('textbox', { name: 'Written by the server' }).getByText('resourceVersion').waitFor();
    expectNoProblems(watched);
    await watched.context.close();
  });

  it('follows the object, keeps what was typed, says who changed what meanwhile, and merges both', async () => {
    await createProject('lake');
    const watched = await bench.open();
    const { page } = watched;
    await signIn(page, bench.flotilla.adminKey, '/projects/lake?tab=yaml');
    await editorOf(page).getByText('description: old').waitFor();

    // Nothing typed: the text is the object's as it is now.
    await change('lake', { description: 'live' });
    await editorOf(page).getByText('description: live').waitFor();

    // What was typed is there again after a look at something else.
    await goTo(page, 'description: live');
    await page.keyboard.type(' and mine');
    await page.getByText('Your changes are not saved yet.').waitFor();
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByRole('tab', { name: 'YAML' }).click();
    await editorOf(page).getByText('description: live and mine').waitFor();
    await page.getByText('These are your changes from before').waitFor();

    // Another field: both fit together.
    await change('lake', { displayName: 'Great lake' });
    await page.getByText('Somebody else changed this while you were writing').waitFor();
    const changes = page.getByRole('list', { name: 'What changed meanwhile' });
    await changes.getByText('spec.displayName was "Sea" and is now "Great lake"').waitFor();
    await changes.getByText('by terraform').waitFor();
    await page.getByText('so both fit together').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('button', { name: 'Merge both' }).click();
    await editorOf(page).getByText('displayName: Great lake').waitFor();
    await editorOf(page).getByText('description: live and mine').waitFor();

    // The same field: somebody has to choose.
    await change('lake', { description: 'theirs' });
    await page.getByRole('radio', { name: 'Mine: "live and mine"' }).waitFor();
    expect(await page.getByRole('button', { name: 'Merge both' }).isDisabled()).toBe(true);
    expect(await faultsInBothThemes(page)).toEqual([]);
    await page.getByRole('radio', { name: 'Mine: "live and mine"' }).check();
    await page.getByRole('button', { name: 'Merge both' }).click();
    await page.getByText('Somebody else changed this').waitFor({ state: 'detached' });

    // Somebody is quicker while one looks at what changes: nothing is overwritten, nothing typed is lost.
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('One field changes').waitFor();
    await change('lake', { displayName: 'Greatest lake' });
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await changes.getByText('"Greatest lake"').waitFor();
    expect(await specOf('lake')).toMatchObject({ displayName: 'Greatest lake', description: 'theirs' });
    await page.getByRole('button', { name: 'Merge both' }).click();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('lake is saved').waitFor();
    expect(await specOf('lake')).toMatchObject({ displayName: 'Greatest lake', description: 'live and mine' });

    // Even where the object goes under one's hands, the text stays.
    await goTo(page, 'description: live and mine');
    await page.keyboard.type(' to the last');
    await page.getByText('Your changes are not saved yet.').waitFor();
    await bench.admin.ask('DELETE', `${projects}/lake`);
    await page.getByText('lake is gone').waitFor();
    await page.getByRole('textbox', { name: 'Not saved' }).getByText('live and mine to the last').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    expectNoProblems(watched);
    await watched.context.close();
  });
});
