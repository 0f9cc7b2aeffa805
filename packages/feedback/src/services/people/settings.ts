/** Settings: whether the public pages are on, what they call themselves, and how they look. */
import { createHash } from 'node:crypto';
import { ToolError } from '@parley/kit';
import type { Queryable } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { notFound } from '../../faults.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { PatchSettings, Settings, SiteImage, SiteImageKind } from '../../shapes/inbox.ts';
import { MAX_IMAGE_BYTES, SITE_IMAGES } from '../../shapes/inbox.ts';
import type { CheckCurrent } from '../posts/posts.ts';
import { holdOrganization } from '../hold.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';
import { pictureType } from './picture-type.ts';

export interface SettingsService {
  /** For the code that serves the organization; nothing is published before an administrator says so. */
  get(organizationId: string): Promise<Settings>;
  update(actor: Actor, patch: PatchSettings, check?: CheckCurrent<Settings>): Promise<Settings>;
  /** A picture of the public pages, also while they are off; null where there is none. */
  image(actor: Actor, kind: string): Promise<SiteImage | null>;
  setImage(actor: Actor, kind: string, data: string): Promise<Settings>;
  removeImage(actor: Actor, kind: string, check?: CheckCurrent<SiteImage | null>): Promise<void>;
}

export function createSettings(
  base: Base,
  setUp: (organizationId: string) => Promise<void>,
): SettingsService {
  const changed = async (
    actor: Actor,
    work: (current: Change) => Promise<void>,
    check?: CheckCurrent<Settings>,
  ): Promise<Settings> => {
    await setUp(actor.organizationId);
    return change(base, actor, async (current) => {
      await holdOrganization(current);
      check?.(await loadSettings(current.tx, actor.organizationId));
      await work(current);
      await current.touch('boards');
      return loadSettings(current.tx, actor.organizationId);
    });
  };
  return {
    get: (organizationId) => loadSettings(base.store, organizationId),
    update: (actor, patch, check) => changed(actor, (current) => put(current, patch), check),
    async image(actor, kind) {
      return shownImage(await findImage(base.store, actor.organizationId, checkKind(kind)));
    },
    async setImage(actor, kind, data) {
      const checked = checkKind(kind);
      const image = checkImage(data);
      return changed(actor, (current) => putImage(current, checked, image));
    },
    async removeImage(actor, kind, check) {
      const checked = checkKind(kind);
      await changed(actor, async ({ tx }) => {
        check?.(shownImage(await findImage(tx, actor.organizationId, checked)));
        await tx
          .db<FeedbackTables>()
          .deleteFrom('feedback_site_images')
          .where('organization_id', '=', actor.organizationId)
          .where('kind', '=', checked)
          .execute();
      });
    },
  };
}

/** Where the public pages have a picture. */
export function imagePath(kind: SiteImageKind, version: string): string {
  return `/feedback/${kind}?v=${version}`;
}

async function loadSettings(from: Queryable, organizationId: string): Promise<Settings> {
  const db = from.db<FeedbackTables>();
  const row = await db
    .selectFrom('feedback_settings')
    .select(['is_published', 'site_name', 'accent_color'])
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  const images = await db
    .selectFrom('feedback_site_images')
    .select(['kind', 'version'])
    .where('organization_id', '=', organizationId)
    .execute();
  const addressOf = (wanted: SiteImageKind) => {
    const found = images.find(({ kind }) => kind === wanted);
    return found === undefined ? null : imagePath(wanted, found.version);
  };
  return {
    isPublished: row?.is_published === 1,
    siteName: row?.site_name ?? null,
    accentColor: row?.accent_color ?? null,
    logo: addressOf('logo'),
    favicon: addressOf('favicon'),
  };
}

async function put({ tx, actor }: Change, patch: PatchSettings): Promise<void> {
  const { isPublished, siteName, accentColor } = patch;
  if ([isPublished, siteName, accentColor].every((value) => value === undefined)) return;
  await tx
    .db<FeedbackTables>()
    .updateTable('feedback_settings')
    .set({
      ...(isPublished !== undefined && { is_published: isPublished ? 1 : 0 }),
      ...(siteName !== undefined && { site_name: siteName }),
      ...(accentColor !== undefined && { accent_color: accentColor }),
    })
    .where('organization_id', '=', actor.organizationId)
    .execute();
}

interface CheckedImage {
  readonly type: string;
  readonly data: string;
  readonly version: string;
}

const VERSION_LENGTH = 12;

/** A picture whose bytes say what it is; what somebody calls it does not count. */
function checkImage(data: string): CheckedImage {
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > MAX_IMAGE_BYTES)
    throw new ToolError('invalid', 'data: must be a picture of at most 256 KiB. Save it smaller.');
  const type = pictureType(bytes);
  if (type === undefined)
    throw new ToolError(
      'invalid',
      'data: must be a PNG, JPEG, GIF, WebP or ICO picture. Save an SVG drawing as PNG first.',
    );
  const version = createHash('sha256').update(bytes).digest('base64url').slice(0, VERSION_LENGTH);
  return { type, data: bytes.toString('base64'), version };
}

async function putImage({ tx, actor }: Change, kind: SiteImageKind, image: CheckedImage): Promise<void> {
  await tx
    .db<FeedbackTables>()
    .insertInto('feedback_site_images')
    .values({ organization_id: actor.organizationId, kind, ...image })
    .onConflict((conflict) => conflict.columns(['organization_id', 'kind']).doUpdateSet({ ...image }))
    .execute();
}

/** A picture as it is stored. */
export function findImage(
  from: Queryable,
  organizationId: string,
  kind: SiteImageKind,
): Promise<CheckedImage | undefined> {
  return from
    .db<FeedbackTables>()
    .selectFrom('feedback_site_images')
    .select(['type', 'data', 'version'])
    .where('organization_id', '=', organizationId)
    .where('kind', '=', kind)
    .executeTakeFirst();
}

function shownImage(found: CheckedImage | undefined): SiteImage | null {
  return found === undefined ? null : { type: found.type, data: found.data };
}

function checkKind(text: string): SiteImageKind {
  const kind = SITE_IMAGES.find((known) => known === text);
  if (kind === undefined) throw notFound('Picture');
  return kind;
}
