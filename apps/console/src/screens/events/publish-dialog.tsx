/** Owns publishing an event by hand: now, at a time, or again and again. */
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { makeOld } from '../../api/make-old.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { useCronText } from '../../ui/cron-text.ts';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast-store.ts';
import { exactText } from '../../ui/when.tsx';

type Moment = 'now' | 'at' | 'cron';

const MOMENTS = [
  { value: 'now', label: 'Now' },
  { value: 'at', label: 'Once, at a time' },
  { value: 'cron', label: 'Again and again' },
] as const;

/** The form. */
export function PublishDialog({
  isOpen,
  onClose,
}: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}) {
  const [type, setType] = useState('test.event');
  const [subject, setSubject] = useState('');
  const [data, setData] = useState('{\n  "hello": "world"\n}');
  const [moment, setMoment] = useState<Moment>('now');
  const [at, setAt] = useState('');
  const [cron, setCron] = useState('0 9 * * 1-5');
  const words = useCronText()(cron);
  const [timezone, setTimezone] = useState(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const value = parsed(data);
  const publish = useAct(
    () =>
      request('POST /api/events', {
        body: {
          type: type.trim(),
          ...(subject.trim() !== '' && { subject: subject.trim() }),
          ...(value.data !== undefined && { data: value.data }),
          ...(moment === 'at' && { deliverAt: new Date(at).toISOString() }),
          ...(moment === 'cron' && { cron: cron.trim(), timezone }),
        },
      }),
    {
      isQuiet: true,
      onDone: ({ time }) => {
        toast({
          text: moment === 'now' ? 'The event is published.' : `It will be published on ${exactText(time)}.`,
        });
        makeOld('events', 'event-list', 'schedules');
        onClose();
      },
    },
  );
  const canSend = type.trim() !== '' && value.problem === undefined && (moment !== 'at' || at !== '');
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title="Publish an event"
      description="Whoever subscribed to its type hears of it, as of any other."
      onSubmit={() => canSend && publish.run()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!canSend} isBusy={publish.isBusy}>
            Publish
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Type" hint="Your own, such as order.paid" error={publish.error?.message} isRequired>
          <Input className="mono" value={type} onText={setType} maxLength={255} />
        </Field>
        <Field label="Subject" hint="What it is about; may be empty">
          <Input value={subject} onText={setSubject} maxLength={255} />
        </Field>
        <Field label="Data" error={value.problem}>
          <CodeEditor value={data} onChange={setData} language="json" label="Data" minLines={5} />
        </Field>
        <Field label="When">
          <Select value={moment} options={MOMENTS} onChange={setMoment} />
        </Field>
        {moment === 'at' && (
          <Field label="At" isRequired>
            <Input type="datetime-local" value={at} onText={setAt} />
          </Field>
        )}
        {moment === 'cron' && (
          <>
            <Field
              label="Cron"
              hint={words ?? 'Five or six fields: minute, hour, day, month, weekday'}
              isRequired
            >
              <Input className="mono" value={cron} onText={setCron} maxLength={100} />
            </Field>
            <Field label="Time zone">
              <Input value={timezone} onText={setTimezone} maxLength={64} />
            </Field>
          </>
        )}
      </div>
    </Dialog>
  );
}

function parsed(text: string): { readonly data?: unknown; readonly problem?: string } {
  if (text.trim() === '') return {};
  try {
    return { data: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'This is no JSON.' };
  }
}
