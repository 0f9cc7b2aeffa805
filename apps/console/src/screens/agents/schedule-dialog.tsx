/** Owns making and changing a schedule: when, what, and who has to agree. */
import { useId, useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import type { Schedule } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast-store.ts';
import { ActionFields, actionOf, isActionReady } from './schedule-action.tsx';
import type { ActionDraft } from './schedule-action.tsx';
import { saveSchedule } from './schedule-queries.ts';
import type { ScheduleFields } from './schedule-queries.ts';
import { useCronText } from '../../ui/cron-text.ts';
import type { Timing } from './schedule-words.ts';

const KINDS = [
  { value: 'cron', label: 'At times of a clock' },
  { value: 'interval', label: 'In steps' },
  { value: 'event', label: 'When an event comes' },
] as const;
const POLICIES = [
  { value: 'owner_approve', label: 'One person approves what changes something' },
  { value: 'council_approve', label: 'Two people approve everything' },
  { value: 'auto', label: 'It runs unasked' },
] as const;

const ownZone = () => new Intl.DateTimeFormat().resolvedOptions().timeZone;

export function ScheduleDialog({
  agentId,
  schedule,
  onClose,
}: {
  readonly agentId: string;
  readonly schedule: Schedule | undefined;
  readonly onClose: () => void;
}) {
  const timing = schedule?.timing;
  const [name, setName] = useState(schedule?.name ?? '');
  const [kind, setKind] = useState<Timing['kind']>(timing?.kind ?? 'cron');
  const [cron, setCron] = useState(timing?.kind === 'cron' ? timing.cron : '0 9 * * 1-5');
  const [zone, setZone] = useState(timing?.kind === 'cron' ? timing.timezone : ownZone());
  const [minutes, setMinutes] = useState(timing?.kind === 'interval' ? String(timing.minutes) : '60');
  const [event, setEvent] = useState(timing?.kind === 'event' ? timing.type : '');
  const [policy, setPolicy] = useState<Schedule['policy']>(schedule?.policy ?? 'owner_approve');
  const [action, setAction] = useState<ActionDraft>(() => ({ type: 'custom', ...schedule?.actions[0] }));
  // A form of one action would lose the others.
  const isLong = (schedule?.actions.length ?? 0) > 1;
  const fields = (): ScheduleFields => ({
    name: name.trim(),
    description: schedule?.description ?? '',
    approval_policy: policy,
    ...(kind === 'cron' && { cron_expression: cron.trim(), timezone: zone.trim() }),
    ...(kind === 'interval' && { interval_minutes: Number(minutes) }),
    ...(kind === 'event' && { event_trigger: { ...filterOf(timing), type: event.trim() } }),
    ...(!isLong && { schedule_actions: [actionOf(action)] }),
  });
  const save = useAct(() => saveSchedule(agentId, schedule?.id, fields()), {
    isQuiet: true,
    onDone({ warnings = [] }) {
      makeOld('schedules');
      toast(
        warnings.length === 0
          ? { text: 'The schedule is saved.' }
          : { text: warnings.join(' '), tone: 'red' },
      );
      onClose();
    },
  });
  const isReady =
    name.trim() !== '' && (isLong || isActionReady(action)) && (kind !== 'event' || event.trim() !== '');
  const cronText = useCronText();
  const zones = useId();
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => isReady && save.run()}
      title={schedule === undefined ? 'New schedule' : `Edit “${schedule.name}”`}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isBusy} disabled={!isReady}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        {save.error && <Notice tone="red">{save.error.message}</Notice>}
        <Field label="Name" isRequired>
          <Input value={name} onText={setName} maxLength={100} />
        </Field>
        <Field label="When">
          <Select value={kind} onChange={setKind} options={KINDS} />
        </Field>
        {kind === 'cron' && (
          <>
            <Field
              label="Cron"
              isRequired
              hint={cronText(cron) ?? 'Five fields: minute, hour, day, month, weekday'}
            >
              <Input className="mono" value={cron} onText={setCron} maxLength={100} />
            </Field>
            <Field label="Time zone" isRequired>
              <Input value={zone} onText={setZone} maxLength={64} list={zones} />
            </Field>
            <datalist id={zones}>
              {Intl.supportedValuesOf('timeZone').map((each) => (
                <option key={each}>{each}</option>
              ))}
            </datalist>
          </>
        )}
        {kind === 'interval' && (
          <Field label="Minutes between two runs" hint="At least 5" isRequired>
            <Input type="number" min={5} max={525_600} value={minutes} onText={setMinutes} />
          </Field>
        )}
        {kind === 'event' && (
          <Field
            label="Type of the event"
            hint="Such as annotation.created; * at the end for several"
            isRequired
          >
            <Input className="mono" value={event} onText={setEvent} maxLength={255} />
          </Field>
        )}
        {isLong ? (
          <p className="muted">It does {schedule?.actions.length} things in a row, which stay as they are.</p>
        ) : (
          <ActionFields agentId={agentId} action={action} onChange={setAction} />
        )}
        <Field label="Who agrees before it runs">
          <Select value={policy} onChange={setPolicy} options={POLICIES} />
        </Field>
      </div>
    </Dialog>
  );
}

/** What an event has to look like stays as it was. */
function filterOf(timing: Timing | undefined): { readonly filter?: string } {
  return timing?.kind === 'event' && timing.filter !== undefined ? { filter: timing.filter } : {};
}
