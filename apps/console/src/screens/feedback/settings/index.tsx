/** Owns the screen: the public pages: whether they are on, and their name, colour, logo and icon. */
import { useQuery } from '@tanstack/react-query';
import { ExternalLink, Globe, ImageUp, Rss, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { queryClient } from '../../../api/query.ts';
import { request } from '../../../api/request.ts';
import { useSession } from '../../../api/session.ts';
import { useAct } from '../../../api/use-act.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Switch } from '../../../ui/checkbox.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { Page } from '../../../ui/page.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { ErrorState, Skeleton } from '../../../ui/states.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { base64Of } from '../shared/base64.ts';
import { ColorField } from '../shared/color-field.tsx';
import { fieldFaults, TOPIC, useBoards, useIsAdministrator, useSettings } from '../shared/queries.ts';
import type { Settings } from '../shared/types.ts';
import './settings.css';

const USUAL_COLOR = '#4a45c9';
const MOST_BYTES = 256 * 1024;

async function refresh(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: [TOPIC, 'settings'] });
}

/** The screen. */
export function Screen() {
  const settings = useSettings();
  const isAdministrator = useIsAdministrator();
  return (
    <Page
      title="Public pages"
      description="What everybody can read without an account: boards, roadmap and changelog."
    >
      {settings.isPending ? (
        <Skeleton kind="card" rows={3} />
      ) : !settings.data ? (
        <ErrorState error={settings.error} onRetry={() => settings.refetch()} />
      ) : (
        <>
          <Publication settings={settings.data} isFixed={!isAdministrator} />
          <Look settings={settings.data} isFixed={!isAdministrator} />
          {isAdministrator && (
            <div className="site-images">
              <Picture
                kind="logo"
                title="Logo"
                address={settings.data.logo}
                hint="Stands before the name, 32 pixels high."
              />
              <Picture
                kind="favicon"
                title="Icon"
                address={settings.data.favicon}
                hint="Stands in the tab of the browser; square, 32 pixels or more."
              />
            </div>
          )}
        </>
      )}
    </Page>
  );
}

function Publication({ settings, isFixed }: { readonly settings: Settings; readonly isFixed: boolean }) {
  const boards = useBoards().data ?? [];
  const shown = boards.filter(({ isPublic }) => isPublic).length;
  const publish = useAct(async (isPublished: boolean) => {
    const set = async (value: boolean) => {
      await request('PATCH /api/v1/settings', { body: { isPublished: value } });
      await refresh();
    };
    await set(isPublished);
    toast({
      text: isPublished ? 'Everybody who reaches this server can read the pages now.' : 'The pages are off.',
      onUndo: () => set(!isPublished),
    });
  });
  const address = `${window.location.origin}/feedback`;
  return (
    <Card
      title="Publication"
      actions={
        <Badge tone={settings.isPublished ? 'green' : 'neutral'}>{settings.isPublished ? 'On' : 'Off'}</Badge>
      }
    >
      <div className="stack">
        <Switch
          isChecked={settings.isPublished}
          isDisabled={isFixed || publish.isBusy}
          onChange={publish.run}
          hint="Off: every address of the pages answers as if it were not there."
        >
          Publish the pages
        </Switch>
        <p className="muted">
          {shown === 0 ? (
            <>
              No board is public yet. <ScreenLink to="/feedback/boards">Open one in its settings.</ScreenLink>
            </>
          ) : (
            `${shown} of ${boards.length} ${boards.length === 1 ? 'board is' : 'boards are'} public.`
          )}
        </p>
        {settings.isPublished && (
          <div className="row-wrap">
            <a className="button button-plain button-m" href="/feedback" target="_blank" rel="noopener">
              <Globe aria-hidden />
              <span className="button-text">Open the pages</span>
              <ExternalLink aria-hidden />
            </a>
            <a className="button button-quiet button-m" href="/changelog.xml" target="_blank" rel="noopener">
              <Rss aria-hidden />
              <span className="button-text">RSS feed</span>
            </a>
            <code className="site-address truncate">{address}</code>
            <CopyButton text={address} label="Copy the address" />
          </div>
        )}
      </div>
    </Card>
  );
}

function Look({ settings, isFixed }: { readonly settings: Settings; readonly isFixed: boolean }) {
  const { organization } = useSession();
  const usualName = organization.name === 'Default' ? 'Feedback' : organization.name;
  const [name, setName] = useState(settings.siteName ?? '');
  const [color, setColor] = useState(settings.accentColor ?? USUAL_COLOR);
  useEffect(() => setName(settings.siteName ?? ''), [settings.siteName]);
  useEffect(() => setColor(settings.accentColor ?? USUAL_COLOR), [settings.accentColor]);
  const save = useAct(
    async () => {
      await request('PATCH /api/v1/settings', {
        body: {
          siteName: name.trim() === '' ? null : name,
          accentColor: color.toLowerCase() === USUAL_COLOR ? null : color,
        },
      });
      await refresh();
    },
    { isQuiet: true, onDone: () => toast({ text: 'Saved. The pages show it at once.', tone: 'green' }) },
  );
  const faults = fieldFaults(save.error);
  const rest = save.error && Object.keys(faults).length === 0 ? save.error.message : undefined;
  const isSame =
    name.trim() === (settings.siteName ?? '') &&
    color.toLowerCase() === (settings.accentColor ?? USUAL_COLOR).toLowerCase();
  return (
    <Card title="Name and colour">
      <form
        className="site-look"
        onSubmit={(event) => {
          event.preventDefault();
          save.run();
        }}
      >
        <div className="stack">
          <Field label="Name" hint={`Empty: ${usualName}`} error={faults['siteName'] ?? rest}>
            <Input
              value={name}
              onText={setName}
              maxLength={100}
              dir="auto"
              disabled={isFixed}
              placeholder={usualName}
            />
          </Field>
          <Field
            label="Colour"
            hint="For links and buttons. The pages make it darker or lighter where it could not be read."
            error={faults['accentColor']}
          >
            <ColorField value={color} onChange={setColor} />
          </Field>
          {!isFixed && (
            <div className="row">
              <Button kind="primary" type="submit" isBusy={save.isBusy} disabled={isSame}>
                Save
              </Button>
              {color.toLowerCase() !== USUAL_COLOR && (
                <Button onClick={() => setColor(USUAL_COLOR)}>The usual colour</Button>
              )}
            </div>
          )}
        </div>
        <SitePreview name={name.trim() === '' ? usualName : name} color={color} logo={settings.logo} />
      </form>
    </Card>
  );
}

function SitePreview({
  name,
  color,
  logo,
}: {
  readonly name: string;
  readonly color: string;
  readonly logo: string | null;
}) {
  const image = useImage('logo', logo);
  return (
    <div className="site-preview" aria-label="Preview of the pages" role="img">
      <div className="site-bar">
        {image && <img src={image} alt="" className="site-logo" />}
        <bdi className="strong truncate">{name}</bdi>
      </div>
      <div className="site-card">
        <span className="site-vote" style={{ borderColor: color }}>
          42
        </span>
        <span className="grow">
          <span className="site-line" />
          <span className="site-line site-line-short" />
        </span>
      </div>
      <span className="site-button" style={{ background: color, color: textOn(color) }}>
        New post
      </span>
    </div>
  );
}

/** Black or white, whichever can be read on the colour. */
function textOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return luminance > 0.18 ? '#000' : '#fff';
}

/** The picture as an address of its own, also while the pages are off. */
function useImage(kind: 'logo' | 'favicon', version: string | null): string | undefined {
  const image = useQuery({
    queryKey: [TOPIC, 'site-image', kind, version],
    queryFn: ({ signal }) => request('GET /api/v1/settings/images/{kind}', { path: { kind }, signal }),
    enabled: version !== null,
  }).data;
  return version === null || !image ? undefined : `data:${image.type};base64,${image.data}`;
}

function Picture({
  kind,
  title,
  hint,
  address,
}: {
  readonly kind: 'logo' | 'favicon';
  readonly title: string;
  readonly hint: string;
  readonly address: string | null;
}) {
  const input = useRef<HTMLInputElement>(null);
  const image = useImage(kind, address);
  const path = { kind };
  const upload = useAct(
    async (file: File) => {
      if (file.size > MOST_BYTES)
        throw new Error(`${file.name} has ${Math.ceil(file.size / 1024)} KiB. Save it with 256 KiB or less.`);
      await request('PUT /api/v1/settings/images/{kind}', { path, body: { data: await base64Of(file) } });
      await refresh();
    },
    { onDone: () => toast({ text: `${title} saved.`, tone: 'green' }) },
  );
  const remove = useAct(async () => {
    const before = await request('GET /api/v1/settings/images/{kind}', { path });
    await request('DELETE /api/v1/settings/images/{kind}', { path });
    await refresh();
    toast({
      text: `${title} removed.`,
      onUndo: async () => {
        if (before)
          await request('PUT /api/v1/settings/images/{kind}', { path, body: { data: before.data } });
        await refresh();
      },
    });
  });
  return (
    <Card title={title} description={hint}>
      <div
        className="site-picture"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          const file = event.dataTransfer.files[0];
          if (file) upload.run(file);
        }}
      >
        <span className="site-frame">
          {image ? (
            <img src={image} alt={`The ${title.toLowerCase()} of the pages`} />
          ) : (
            <span className="faint">None</span>
          )}
        </span>
        <input
          ref={input}
          type="file"
          className="visually-hidden"
          aria-label={`Choose the ${title.toLowerCase()}`}
          tabIndex={-1}
          accept="image/png,image/jpeg,image/gif,image/webp,image/x-icon,.ico"
          onChange={(event) => {
            const file = event.target.files?.[0];
            if (file) upload.run(file);
            event.target.value = '';
          }}
        />
        <Button icon={<ImageUp />} isBusy={upload.isBusy} onClick={() => input.current?.click()}>
          {address === null ? 'Choose a picture' : 'Replace'}
        </Button>
        {address !== null && (
          <Button kind="quiet" icon={<Trash2 />} isBusy={remove.isBusy} onClick={remove.run}>
            Remove
          </Button>
        )}
      </div>
      <p className="small faint">PNG, JPEG, GIF, WebP or ICO, up to 256 KiB.</p>
    </Card>
  );
}
