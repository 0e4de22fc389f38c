import { projectKind } from '../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import { projectOfNamespace } from '../../api/naming.ts';
import { escapeControlCharacters } from '../../client/escape-controls.ts';
import type { Notification } from '../../management/notifications/notification.ts';
import type { Mail } from './mail-server.ts';

export interface NotificationMailOptions {
  readonly to: string;
  /** The name of the user. */
  readonly user: string;
  /** The notifications, the most urgent first. At least one. */
  readonly notifications: readonly Notification[];
  /** The URL of the console, without a trailing slash; `undefined` if the server has no console. */
  readonly console: string | undefined;
}

/** The number of notifications that a mail lists. */
const maxListed = 50;
const maxSubjectLength = 120;
const maxLineLength = 1_000;

/**
 * Returns a mail with the notifications. The messages of notifications contain names and texts that tenants have
 * chosen. In the mail, these messages are single lines without control characters, and escaped in HTML.
 */
export function notificationMail({ to, user, notifications, console: root }: NotificationMailOptions): Mail {
  const lines = notifications.slice(0, maxListed).map((notification) => ({
    text: singleLine(notification.message, maxLineLength),
    link: root === undefined ? undefined : `${root}${pathOf(notification)}`,
  }));
  const count = notifications.length - lines.length;
  const more =
    count === 0 ? [] : [`${count} more ${count === 1 ? 'notification is' : 'notifications are'} in the console.`];
  const reason = `You receive this mail as the user ${singleLine(user, maxLineLength)} of Flotilla. To receive no more mails, open ${
    root ?? 'the console'
  }, select the bell, and switch off "Send me mails".`;
  const text = [...lines.map(({ text: line, link }) => (link === undefined ? line : `${line}\n${link}`)), ...more];
  const items = lines.map(({ text: line, link }) =>
    link === undefined
      ? `<li>${escapeHtml(line)}</li>`
      : `<li><a href="${escapeHtml(link)}">${escapeHtml(line)}</a></li>`,
  );
  return {
    to,
    subject: subjectOf(notifications),
    text: `${[...text, `-- \n${reason}`].join('\n\n')}\n`,
    html: htmlPage([`<ul>\n${items.join('\n')}\n</ul>`, ...more.map(paragraph), '<hr>', paragraph(reason)]),
  };
}

/** Returns the mail with which an administrator tests the settings. */
export function testMail(to: string): Mail {
  const text = 'This is a test mail of Flotilla. The settings of the mail server work.';
  return { to, subject: 'Flotilla: test mail', text: `${text}\n`, html: htmlPage([paragraph(text)]) };
}

function subjectOf([first, ...others]: readonly Notification[]): string {
  const rest = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return `${singleLine(first?.message ?? '', maxSubjectLength)}${rest}`;
}

/** Returns the path of the console page that shows the object. */
function pathOf({ involvedObject: { kind, namespace = '', name } }: Notification): string {
  const project = encodeURIComponent(projectOfNamespace(namespace) ?? '');
  const segment = encodeURIComponent(name);
  if (kind === virtualClusterInstanceKind.kind) return `/virtual-clusters/${project}/${segment}`;
  if (kind === spaceInstanceKind.kind) return `/spaces/${project}/${segment}`;
  if (kind === projectKind.kind) return `/projects/${segment}?tab=quotas`;
  return `/keys/named/${segment}`;
}

/** Replaces line breaks by spaces, escapes other control characters, and cuts the text. */
function singleLine(text: string, maxLength: number): string {
  const line = escapeControlCharacters(text.replace(/\s+/g, ' ').trim());
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).toWellFormed()}…`;
}

function htmlPage(parts: readonly string[]): string {
  return `<!DOCTYPE html>\n<html lang="en">\n<body>\n${parts.join('\n')}\n</body>\n</html>\n`;
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
