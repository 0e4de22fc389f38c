import { BinaryReader, type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { sealedBytes, sealedText } from './value-bytes.ts';

/*
 * Reads and writes the fields of protobuf messages. As protobuf requires, a field with the default value is not
 * written. Revisions are numbers, because etcd would need centuries to reach 2^53.
 */

export function writeText(writer: BinaryWriter, field: number, value: string | undefined): void {
  if (value !== undefined && value !== '') writer.tag(field, WireType.LengthDelimited).string(value);
}

/** Writes the value of a row. */
export function writeValue(writer: BinaryWriter, field: number, value: string): void {
  const bytes = sealedBytes(value);
  if (bytes === undefined) writeText(writer, field, value);
  else writer.tag(field, WireType.LengthDelimited).bytes(bytes);
}

export function writeInteger(writer: BinaryWriter, field: number, value: number | bigint | undefined): void {
  if (value !== undefined && value !== 0 && value !== 0n) writer.tag(field, WireType.Varint).int64(value);
}

export function writeFlag(writer: BinaryWriter, field: number, value: boolean | undefined): void {
  if (value === true) writer.tag(field, WireType.Varint).bool(true);
}

/** Writes a message as a field of another message. */
export function writeMessage(writer: BinaryWriter, field: number, write: (writer: BinaryWriter) => void): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write(writer);
  writer.join();
}

/**
 * Reads the fields of a message. `read` reads the value of a field that it knows and returns true. Other fields are
 * skipped, because newer versions of etcd may add fields.
 */
export function readFields(bytes: Uint8Array, read: (field: number, reader: BinaryReader) => boolean): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    if (!read(field, reader)) reader.skip(wireType, field);
  }
}

export function readInteger(reader: BinaryReader): number {
  return Number(reader.int64());
}

export function readText(reader: BinaryReader): string {
  return readBuffer(reader).toString('utf8');
}

/** Reads the value of a row. */
export function readValue(reader: BinaryReader): string {
  const bytes = readBuffer(reader);
  return sealedText(bytes) ?? bytes.toString('utf8');
}

function readBuffer(reader: BinaryReader): Buffer {
  const bytes = reader.bytes();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
