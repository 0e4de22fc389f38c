import { Webhook } from 'standardwebhooks';
import { afterEach, expect, it } from 'vitest';
import { managementGroup, projectNamespace, projectRoles } from '../../src/api/naming.ts';
import { WebhookReceiver } from '../../src/server/webhooks/webhook-receiver.fixture.ts';
import { expectNoProblems, signIn } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const apiVersion = `${managementGroup}/v1`;
const group = `/apis/${apiVersion}`;
const password = 'a password for tests';

describeConsole(
  'the webhooks of a project',
  (env) => {
    const receivers: WebhookReceiver[] = [];
    afterEach(() => {
      for (const each of receivers.splice(0)) each.close();
    });

    it('are created, tested, edited, suspended and deleted by an admin of the project', async () => {
      const receiver = await WebhookReceiver.start();
      receivers.push(receiver);
      const watched = await env.open();
      const { page } = watched;
      const dialog = page.getByRole('dialog');
      await signIn(page, env.flotilla.adminKey, '/projects/default?tab=webhooks');
      await page.getByText('No webhooks yet').waitFor();
      await page.getByRole('button', { name: 'New webhook' }).click();
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('chat');
      await dialog.getByLabel('URL').fill('https://10.1.2.3/');
      await dialog.getByRole('button', { name: 'Create' }).click();
      // The problem is shown at its field, and the input is kept.
      await dialog.getByText(/webhooks\.addresses/).waitFor();
      await dialog.getByLabel('URL').fill(receiver.url);
      await dialog.getByRole('button', { name: 'Create' }).click();
      const secret = (await dialog.getByLabel('Webhook secret').textContent()) ?? '';
      await dialog.getByRole('button', { name: 'Copy secret' }).waitFor();
      await dialog.getByRole('button', { name: 'Done' }).click();

      const menu = () => page.getByRole('button', { name: 'Actions for chat' }).click();
      await menu();
      await page.getByRole('menuitem', { name: 'Send test' }).click();
      await page.getByText(/Test event of chat delivered in \d+ ms/).waitFor();
      const [message] = receiver.received;
      expect(message).toBeDefined();
      new Webhook(secret).verify(message?.body ?? '', message?.headers as Record<string, string>);

      receiver.answer = (_message, response) => void response.writeHead(500).end();
      await env.admin.request('PATCH', `${group}/projects/default`, { spec: { description: 'changed' } });
      await page.getByText('the receiver responded with 500 Internal Server Error').waitFor();
      await page.getByText('Failing').waitFor();
      expect(await violationsInEveryLook(page)).toEqual([]);
      receiver.accept();

      await menu();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
      await dialog.getByLabel('Display name').fill('Our chat');
      expect(await violationsInEveryLook(page)).toEqual([]);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Our chat').waitFor();
      await page.getByText('204 No Content').waitFor({ timeout: 60_000 });
      await menu();
      await page.getByRole('menuitem', { name: 'Suspend' }).click();
      await page.getByText('Suspended', { exact: true }).waitFor();
      await menu();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog.getByRole('button', { name: 'Delete chat' }).click();
      await page.getByText('No webhooks yet').waitFor();
      expectNoProblems(watched);
      await watched.context.close();
    }, 300_000);

    it('are not shown to other members', async () => {
      await env.admin.createUser('ana', password);
      await env.admin.request('POST', `${group}/projects`, {
        apiVersion,
        kind: 'Project',
        metadata: { name: 'red' },
        spec: { members: [{ kind: 'User', name: 'ana', clusterRole: projectRoles.user }] },
      });
      await env.admin.request('POST', `${group}/namespaces/${projectNamespace('red')}/projectwebhooks`, {
        apiVersion,
        kind: 'ProjectWebhook',
        metadata: { name: 'hidden' },
        spec: { url: 'https://receiver.example/', suspend: true },
      });
      const watched = await env.open();
      const { page } = watched;
      await page.goto('/projects/red?tab=webhooks');
      await page.getByLabel('Username').fill('ana');
      await page.locator('input[name="password"]').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('tab', { name: 'Activity' }).waitFor();
      expect(await page.getByRole('tab', { name: 'Webhooks' }).count()).toBe(0);
      expectNoProblems(watched);
      await watched.context.close();
    }, 120_000);
  },
  { webhooks: { addresses: ['public', '127.0.0.1/32'], allowPlainHttp: true } },
);
