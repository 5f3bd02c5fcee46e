// The name of an SQL statement: its verb and the first table it names.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recorder/protocol/fold.h"
#include "recorder/protocol/sql_tokens.h"

namespace edgewise {
namespace {

// Of these only the verb is told: what follows may be a secret.
constexpr std::string_view kBareVerbs[] = {
    "BEGIN",      "COMMIT",    "ROLLBACK", "END",     "ABORT",
    "SAVEPOINT",  "RELEASE",   "SET",      "RESET",   "SHOW",
    "USE",        "VALUES",    "PREPARE",  "EXECUTE", "DEALLOCATE",
    "DECLARE",    "FETCH",     "MOVE",     "CLOSE",   "LISTEN",
    "UNLISTEN",   "NOTIFY",    "GRANT",    "REVOKE",  "VACUUM",
    "ANALYZE",    "REINDEX",   "CLUSTER",  "REFRESH", "DISCARD",
    "CHECKPOINT", "COMMENT",   "DO",       "LOAD",    "HANDLER",
    "KILL",       "FLUSH",     "OPTIMIZE", "REPAIR",  "CHECK",
    "DESCRIBE",   "DESC",      "HELP",     "XA",      "RENAME",
    "IMPORT",     "SECURITY",  "UNLOCK",   "SIGNAL",  "REASSIGN",
    "INSTALL",    "UNINSTALL", "BINLOG",   "PURGE",
};

constexpr size_t kMaxCtes = 8;
constexpr size_t kMaxDepth = 63;

// Which parentheses are open, and which of them a function's arguments are:
// EXTRACT(year FROM day) names no table.
class Parentheses {
 public:
  size_t depth() const { return depth_; }
  bool in_function() const { return (functions_ & 1) != 0; }

  // False: too deep.
  bool See(const SqlToken& token, const SqlToken& before) {
    if (token.IsSign('(')) {
      const bool function =
          before.kind == SqlKind::kQuoted ||
          (before.kind == SqlKind::kWord &&
           !before.IsOneOf("FROM JOIN IN AS EXISTS ANY ALL SOME AND OR NOT ON "
                           "WHERE UNION EXCEPT INTERSECT LATERAL MATERIALIZED "
                           "SELECT THEN ELSE WHEN HAVING VALUES BY USING "));
      functions_ = functions_ << 1 | (function ? 1 : 0);
      return ++depth_ < kMaxDepth;
    }
    if (token.IsSign(')') && depth_ > 0) {
      functions_ >>= 1;
      --depth_;
    }
    return true;
  }

 private:
  size_t depth_ = 0;
  uint64_t functions_ = 0;
};

class Statement {
 public:
  Statement(Cursor& cursor, Dialect dialect, bool cut, OperationText* operation)
      : tokens_(cursor, dialect), cut_(cut), operation_(operation) {}

  void Name();

 private:
  bool At(std::string_view keyword) const { return tokens_.now().Is(keyword); }
  void SkipWords(std::string_view keywords) {
    while (tokens_.now().IsOneOf(keywords)) tokens_.Next();
  }
  void Verb(std::string_view verb) {
    if (operation_->length > 0) operation_->Append(' ');
    operation_->Append(verb);
  }
  void Main();
  bool BareVerb();
  void Definition(std::string_view verb);
  void Explain();
  void With();
  void SkipBody();
  void FromTable(bool must_be_outside);
  void AppendTable();
  bool IsCte(std::string_view name) const;

  SqlTokens tokens_;
  const bool cut_;
  OperationText* operation_;
  std::string_view ctes_[kMaxCtes];
  size_t cte_count_ = 0;
  OperationText inner_;  // the first table of a WITH's bodies
};

bool SameName(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const bool letter = (a[i] | 32) >= 'a' && (a[i] | 32) <= 'z';
    if (letter ? (a[i] | 32) != (b[i] | 32) : a[i] != b[i]) return false;
  }
  return true;
}

bool Statement::IsCte(std::string_view name) const {
  for (size_t i = 0; i < cte_count_; ++i) {
    if (SameName(ctes_[i], name)) return true;
  }
  return false;
}

// The table that stands here, its schema before it. None if the text ends
// before it is sure where the name does.
void Statement::AppendTable() {
  OperationText table;
  const std::string_view first = tokens_.now().text;
  bool qualified = false;
  while (tokens_.now().IsName()) {
    if (tokens_.now().text.empty()) return;
    AppendFoldedName(tokens_.now().text, &table);
    tokens_.Next();
    if (!tokens_.now().IsSign('.')) break;
    table.Append('.');
    qualified = true;
    tokens_.Next();
  }
  if (cut_ && tokens_.at_end()) return;
  if (!qualified && IsCte(first)) table = inner_;
  if (table.length == 0) return;
  operation_->Append(' ');
  operation_->Append(table.view());
}

// Goes to the FROM of the statement and tells its first table, or that of the
// subselect that stands in its place.
void Statement::FromTable(bool must_be_outside) {
  Parentheses open;
  size_t base = 0;
  SqlToken before;
  while (!tokens_.ended()) {
    const SqlToken token = tokens_.now();
    if (!open.See(token, before) || token.IsSign(';')) return;
    if (open.depth() < base) return;
    tokens_.Next();
    if (token.Is("FROM") && open.depth() == base && !before.Is("DISTINCT")) {
      SkipWords("ONLY LATERAL ");
      SqlToken last = token;
      while (tokens_.now().IsSign('(')) {
        const SqlToken sign = tokens_.now();
        if (must_be_outside || !open.See(sign, last)) return;
        last = sign;
        base = open.depth();
        tokens_.Next();
      }
      if (tokens_.now().IsOneOf("VALUES ")) return;
      if (!tokens_.now().IsOneOf("SELECT WITH ")) return AppendTable();
    }
    before = token;
  }
}

// CREATE, ALTER, DROP: names are told of tables and views only, as those of
// users and servers come with their passwords.
void Statement::Definition(std::string_view verb) {
  Verb(verb);
  SkipWords(
      "OR REPLACE TEMP TEMPORARY GLOBAL LOCAL UNLOGGED UNIQUE MATERIALIZED "
      "RECURSIVE FOREIGN FULLTEXT SPATIAL ONLINE OFFLINE ");
  static constexpr std::string_view kKinds[] = {
      "TABLE",  "VIEW",    "INDEX",     "SEQUENCE", "FUNCTION",
      "SCHEMA", "TRIGGER", "PROCEDURE", "DATABASE", "EXTENSION",
      "TYPE",   "USER",    "ROLE",      "POLICY",   "EVENT",
      "SERVER", "DOMAIN",  "RULE",      "SYSTEM",   "PUBLICATION",
  };
  for (const std::string_view kind : kKinds) {
    if (!At(kind)) continue;
    Verb(kind);
    tokens_.Next();
    if (kind != "TABLE" && kind != "VIEW") return;
    SkipWords("IF NOT EXISTS ONLY ");
    return AppendTable();
  }
}

void Statement::Explain() {
  Verb("EXPLAIN");
  tokens_.Next();
  Parentheses open;
  SqlToken before;
  while (!tokens_.ended()) {
    const SqlToken token = tokens_.now();
    if (open.depth() == 0 &&
        token.IsOneOf("SELECT INSERT UPDATE DELETE WITH MERGE REPLACE ")) {
      return Main();
    }
    if (!open.See(token, before)) return;
    before = token;
    tokens_.Next();
  }
}

// Passes a WITH's body, whose parenthesis is open, and notes its first table.
void Statement::SkipBody() {
  Parentheses open;
  SqlToken before;
  OperationText* const outer = operation_;
  while (!tokens_.ended()) {
    const SqlToken token = tokens_.now();
    if (!open.See(token, before)) return;
    tokens_.Next();
    if (open.depth() == 0) return;
    if (inner_.length == 0 && token.IsOneOf("FROM INTO UPDATE ") &&
        !open.in_function() && !before.Is("DISTINCT") &&
        tokens_.now().IsName() && !tokens_.now().Is("SELECT")) {
      OperationText found;
      operation_ = &found;
      SkipWords("ONLY LATERAL ");
      AppendTable();
      operation_ = outer;
      if (found.length > 1) inner_.Assign(found.view().substr(1));
    }
    before = token;
  }
}

// WITH a AS (...), b (x, y) AS (...) SELECT ...
void Statement::With() {
  tokens_.Next();
  SkipWords("RECURSIVE ");
  bool name_next = true;
  while (!tokens_.ended()) {
    const SqlToken token = tokens_.now();
    if (token.IsSign('(')) {
      SkipBody();
      continue;
    }
    if (name_next && token.IsName()) {
      if (cte_count_ < kMaxCtes) ctes_[cte_count_++] = token.text;
      name_next = false;
    } else if (token.IsSign(',')) {
      name_next = true;
    } else if (token.IsOneOf("SELECT INSERT UPDATE DELETE MERGE REPLACE ")) {
      return Main();
    } else if (!token.IsOneOf("AS NOT MATERIALIZED ")) {
      break;
    }
    tokens_.Next();
  }
  Verb("WITH");
}

bool Statement::BareVerb() {
  for (const std::string_view verb : kBareVerbs) {
    if (!At(verb)) continue;
    Verb(verb);
    return true;
  }
  return false;
}

void Statement::Main() {
  struct Form {
    std::string_view verb;
    std::string_view passed;  // words between it and the table
  };
  static constexpr Form kForms[] = {
      {"INSERT", "LOW_PRIORITY DELAYED HIGH_PRIORITY IGNORE OVERWRITE INTO "},
      {"UPDATE", "LOW_PRIORITY IGNORE ONLY "},
      {"REPLACE", "LOW_PRIORITY DELAYED INTO "},
      {"MERGE", "INTO ONLY "},
      {"UPSERT", "INTO "},
      {"TRUNCATE", "TABLE ONLY "},
      {"LOCK", "TABLE TABLES ONLY "},
      {"CALL", ""},
      {"TABLE", ""},
  };
  if (At("SELECT") || At("DELETE")) {
    const bool deletes = At("DELETE");
    Verb(deletes ? "DELETE" : "SELECT");
    tokens_.Next();
    return FromTable(deletes);
  }
  if (At("WITH")) return With();
  for (const Form& form : kForms) {
    if (!At(form.verb)) continue;
    Verb(form.verb);
    tokens_.Next();
    SkipWords(form.passed);
    return AppendTable();
  }
  if (At("COPY")) {
    Verb("COPY");
    tokens_.Next();
    if (!tokens_.now().IsSign('(')) return AppendTable();
    tokens_.Next();
    return FromTable(false);
  }
  if (At("CREATE")) return tokens_.Next(), Definition("CREATE");
  if (At("ALTER")) return tokens_.Next(), Definition("ALTER");
  if (At("DROP")) return tokens_.Next(), Definition("DROP");
  if (At("EXPLAIN")) return Explain();
  if (At("START")) return Verb("START TRANSACTION");
  if (!BareVerb()) Verb("other");
}

void Statement::Name() {
  while (tokens_.now().IsSign('(') || tokens_.now().IsSign(';')) tokens_.Next();
  if (!tokens_.ended()) Main();
}

}  // namespace

void NameSql(Cursor& cursor, Dialect dialect, bool cut,
             OperationText* operation) {
  Statement(cursor, dialect, cut, operation).Name();
}

bool LooksLikeSql(Cursor cursor) {
  OperationText name;
  NameSql(cursor, Dialect::kPostgres, /*cut=*/false, &name);
  return name.length > 0 && name.view() != "other";
}

}  // namespace edgewise
