import { Checkbox, Group, NativeSelect, Radio, SimpleGrid, Text } from '@mantine/core';
import { ErrorNotice } from '../../../components/error-notice.tsx';
import { LoadingIndicator } from '../../../components/loading-indicator.tsx';
import { Panel } from '../../../components/panel.tsx';
import { displayNameOf } from '../../../data/objects/display-name.ts';
import type { Template } from '../../../data/template-types.ts';
import classes from './create.module.css';
import type { FormSectionProps } from './form-section.ts';
import { InlineTemplate, type InlineTemplateProps } from './inline-template.tsx';
import { versionChoices, versionsOf } from './template-choices.ts';

interface TemplatePanelProps extends InlineTemplateProps {
  /** True if the caller may use an inline template. */
  readonly mayInline: boolean;
}

/** The value of the radio button for the inline template. No template can have this name. */
const inlineValue = '/';

/** A section of the creation form: the template and its version. */
export function TemplatePanel({ form, problem, mayInline, onFault }: TemplatePanelProps) {
  const { type, offer, fields, templateName, template } = form;
  const isInlineSelected = fields.isInline;
  const mayOmit = type.template.isOptional && offer.defaultTemplate === '';
  if (offer.error !== undefined) return <ErrorNotice error={offer.error} onRetry={offer.retry} />;
  if (!offer.isKnown) return <LoadingIndicator message="Loading templates" />;
  return (
    <Panel title="Template">
      {offer.templates.length === 0 && !mayInline && !mayOmit ? (
        <Text size="sm" c="dimmed">
          The project allows no templates. Ask an administrator to allow one.
        </Text>
      ) : null}
      <Radio.Group
        aria-label="Template"
        value={isInlineSelected ? inlineValue : templateName}
        onChange={(value) => {
          if (value === inlineValue) form.setInline();
          else form.setTemplate(offer.templates.find(({ metadata }) => metadata.name === value));
        }}
        error={problem('spec.templateRef.name')}
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          {mayOmit ? <TemplateCard value="" title="No template" text="An empty namespace." note="" /> : null}
          {offer.templates.map((one) => (
            <TemplateCard
              key={one.metadata.name}
              value={one.metadata.name ?? ''}
              title={displayNameOf(one)}
              text={one.spec?.description ?? ''}
              note={noteOf(one, offer.defaultTemplate)}
            />
          ))}
          {mayInline || isInlineSelected ? (
            <TemplateCard
              value={inlineValue}
              title="Inline template"
              text={`A definition for this ${type.noun} only.`}
              note=""
            />
          ) : null}
        </SimpleGrid>
      </Radio.Group>
      {template === undefined || isInlineSelected ? null : (
        <VersionFields form={form} problem={problem} template={template} />
      )}
      {isInlineSelected ? <InlineTemplate form={form} problem={problem} onFault={onFault} /> : null}
    </Panel>
  );
}

function noteOf(template: Template, defaultTemplate: string): string {
  const { name = '' } = template.metadata;
  const count = versionsOf(template).length;
  const parts = [
    name === defaultTemplate ? 'Default' : '',
    count === 0 ? '' : `${count} version${count === 1 ? '' : 's'}`,
    displayNameOf(template) === name ? '' : name,
  ];
  return parts.filter(Boolean).join(' · ');
}

interface TemplateCardProps {
  readonly value: string;
  readonly title: string;
  readonly text: string;
  readonly note: string;
}

function TemplateCard({ value, title, text, note }: TemplateCardProps) {
  return (
    <Radio.Card value={value} className={classes.template ?? ''} aria-label={title}>
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Radio.Indicator />
        <div className={classes.templateText}>
          <Text size="sm" fw={600}>
            {title}
          </Text>
          {text === '' ? null : (
            <Text size="sm" c="dimmed" lineClamp={3}>
              {text}
            </Text>
          )}
          {note === '' ? null : (
            <Text size="xs" c="dimmed" mt={2}>
              {note}
            </Text>
          )}
        </div>
      </Group>
    </Radio.Card>
  );
}

function VersionFields({ form, problem, template }: FormSectionProps & { readonly template: Template }) {
  const choices = versionChoices(template);
  const isKnown = choices.some(({ value }) => value === form.version);
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" mt="md">
      {choices.length === 0 ? null : (
        <NativeSelect
          label="Version"
          value={form.version}
          onChange={(event) => form.setVersion(event.currentTarget.value)}
          error={problem('spec.templateRef.version')}
          data={[...choices, ...(isKnown ? [] : [{ value: form.version, label: form.version }])]}
        />
      )}
      <Checkbox
        mt={choices.length === 0 ? 0 : 28}
        label="Pin to the current template"
        description={`Later changes to the template are not applied to this ${form.type.noun}.`}
        checked={form.fields.syncOnce}
        onChange={(event) => form.set(['spec', 'templateRef', 'syncOnce'], event.currentTarget.checked || undefined)}
      />
    </SimpleGrid>
  );
}
