import Foundation
import GRDB

/// Triggers in a node's database that record what takes effect, in order, in the transaction of the
/// effect.
enum CrashWitness {
  /// Installs the triggers in the database of a stopped node.
  static func install(in node: NodeProcess) throws {
    try node.edit {
      try $0.execute(
        sql: """
          CREATE TABLE witness (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id BLOB NOT NULL);
          CREATE TRIGGER witness_1 BEFORE INSERT ON usage_record BEGIN
            INSERT INTO witness (kind, id) VALUES ('usage met', NEW.record_id); END;
          CREATE TRIGGER witness_2 AFTER INSERT ON usage_record BEGIN
            INSERT INTO witness (kind, id) VALUES ('usage kept', NEW.record_id); END;
          CREATE TRIGGER witness_3 AFTER INSERT ON applied_command BEGIN
            INSERT INTO witness (kind, id) VALUES ('command', NEW.command_id); END;
          CREATE TRIGGER witness_4 AFTER UPDATE OF status ON command WHEN NEW.status = 'executed' BEGIN
            INSERT INTO witness (kind, id) VALUES ('receipt', NEW.command_id); END;
          CREATE TRIGGER witness_5 AFTER INSERT ON command BEGIN
            INSERT INTO witness (kind, id) VALUES ('given', NEW.command_id); END;
          CREATE TRIGGER witness_6 AFTER DELETE ON outbox_item WHEN OLD.class = 4 AND OLD.seq >
            (SELECT stored_through FROM outbox_stream WHERE peer = OLD.peer AND class = OLD.class) BEGIN
            INSERT INTO witness (kind, id) VALUES ('begun anew', OLD.item_id); END;
          CREATE TRIGGER witness_7 AFTER UPDATE OF epoch ON outbox_stream WHEN NEW.epoch <> OLD.epoch BEGIN
            INSERT INTO witness (kind, id) VALUES ('restart', CAST(NEW.class AS BLOB)); END;
          """)
    }
  }

  /// The IDs of what happened, in order.
  static func ids(_ kind: String, of node: NodeProcess) throws -> [Data] {
    try node.read {
      try Data.fetchAll($0, sql: "SELECT id FROM witness WHERE kind = ? ORDER BY number", arguments: [kind])
    }
  }
}
