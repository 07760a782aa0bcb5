import { batch, computed, signal } from '@preact/signals';
import { api, Refusal, type SettingName, type Settings } from '../api/client.js';
import { succeeded } from '../documents/upload-state.js';
import { messageOf } from '../shell/load.js';
import { FIELD_GROUPS, type Field, kindFor, settingOfCode, textFor, valueFrom } from './fields.js';

/** The settings of one index while they are edited: texts that differ from what the server has. */
export class SettingsState {
  readonly indexUid: string;
  readonly saved = signal<Settings | undefined>(undefined);
  readonly drafts = signal<ReadonlyMap<SettingName, string>>(new Map());
  readonly problems = signal<ReadonlyMap<string, string>>(new Map());
  readonly message = signal('');
  readonly isSaving = signal(false);
  readonly changes = computed(() => this.drafts.value.size);

  constructor(indexUid: string) {
    this.indexUid = indexUid;
  }

  async load(): Promise<void> {
    try {
      this.saved.value = await api.settings(this.indexUid);
    } catch (error) {
      this.#tell('', messageOf(error));
    }
  }

  kind({ name, kind }: Field) {
    return kindFor(kind, this.saved.value?.[name]);
  }

  savedText(field: Field): string {
    return textFor(this.kind(field), this.saved.value?.[field.name]);
  }

  /** Takes what was typed, and says at once when it cannot be read. */
  edit(field: Field, text: string): void {
    const drafts = new Map(this.drafts.value);
    if (text === this.savedText(field)) drafts.delete(field.name);
    else drafts.set(field.name, text);
    this.drafts.value = drafts;
    this.message.value = '';
    try {
      valueFrom(this.kind(field), text);
      this.#tell(field.name, '');
    } catch (error) {
      this.#tell(field.name, messageOf(error));
    }
  }

  discard(): void {
    batch(() => {
      this.drafts.value = new Map();
      this.problems.value = new Map();
    });
  }

  /** Sends all changes in one request; a refusal is shown at the setting that it is about. */
  async save(): Promise<void> {
    this.isSaving.value = true;
    const sent = this.drafts.value;
    try {
      const { taskUid } = await api.changeSettings(this.indexUid, this.#change());
      this.message.value = 'Applying';
      await succeeded(taskUid);
      await this.load();
      this.#forget(sent);
      this.message.value = this.changes.value === 0 ? 'Saved' : '';
    } catch (error) {
      this.message.value = '';
      const about = error instanceof Refusal ? settingOfCode(error.code) : '';
      this.#tell(this.drafts.value.has(about as SettingName) ? about : '', messageOf(error));
    } finally {
      this.isSaving.value = false;
    }
  }

  /** Drops what was saved; what was typed while that took its time stays. */
  #forget(sent: ReadonlyMap<SettingName, string>): void {
    const drafts = new Map(
      [...this.drafts.value].filter(([name, text]) => sent.get(name) !== text),
    );
    const problems = [...this.problems.value].filter(([name]) => drafts.has(name as SettingName));
    batch(() => {
      this.drafts.value = drafts;
      this.problems.value = new Map(problems);
    });
  }

  #change(): Settings {
    const fields = FIELD_GROUPS.flatMap(([, all]) => all);
    return Object.fromEntries(
      fields.flatMap((field) => {
        const text = this.drafts.value.get(field.name);
        return text === undefined ? [] : [[field.name, valueFrom(this.kind(field), text)]];
      }),
    );
  }

  #tell(name: string, problem: string): void {
    const problems = new Map(this.problems.value);
    if (problem === '') problems.delete(name);
    else problems.set(name, problem);
    this.problems.value = problems;
  }
}
