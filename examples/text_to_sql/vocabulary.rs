//! What the demonstration knows of the shop: its tables and columns by the words for them, and the values that stand in it.

use super::database::Database;

/// A table. Each one is joined to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// Customers.
    Users,
    /// What they ordered.
    Orders,
    /// What an order is made of.
    Items,
    /// What can be ordered.
    Products,
}

/// All tables, in the order in which they hang together.
pub const TABLES: [Table; 4] = [Table::Users, Table::Orders, Table::Items, Table::Products];

impl Table {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Users => "users",
            Self::Orders => "orders",
            Self::Items => "order_items",
            Self::Products => "products",
        }
    }

    /// The table of a name.
    pub fn of(name: &str) -> Option<Self> {
        TABLES.into_iter().find(|table| table.name() == name)
    }

    /// The words for one of its rows, and for several.
    pub fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Users => ("user|customer|client|buyer|person", "users|customers|clients|buyers|people|persons"),
            Self::Orders => ("order|purchase", "orders|purchases"),
            Self::Items => {
                ("order item|line item|order line|order_item", "order items|line items|order lines|order_items")
            }
            Self::Products => ("product|article|item", "products|articles|items|goods"),
        }
    }

    /// How the next table hangs on this one.
    pub fn link(self) -> &'static str {
        match self {
            Self::Users => "orders.user_id = users.id",
            Self::Orders => "order_items.order_id = orders.id",
            Self::Items | Self::Products => "order_items.product_id = products.id",
        }
    }

    /// The column that says when.
    pub fn date(self) -> Option<&'static Column> {
        match self {
            Self::Users => column(self, "created_at"),
            Self::Orders | Self::Items => column(Self::Orders, "ordered_at"),
            Self::Products => None,
        }
    }

    /// The column that says how much.
    pub fn amount(self) -> Option<&'static Column> {
        match self {
            Self::Users => None,
            Self::Orders => column(self, "total"),
            Self::Items | Self::Products => column(self, "price"),
        }
    }
}

/// What stands in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Texts, some of which are known by heart.
    Text,
    /// Numbers.
    Number,
    /// Days.
    Date,
}

/// A column.
#[derive(Debug, PartialEq, Eq)]
pub struct Column {
    /// Its table.
    pub table: Table,
    /// Its name.
    pub name: &'static str,
    /// What stands in it.
    pub kind: Kind,
    /// The words for it.
    pub words: &'static str,
}

const fn of(table: Table, name: &'static str, kind: Kind, words: &'static str) -> Column {
    Column { table, name, kind, words }
}

/// All columns that are spoken of.
pub static COLUMNS: [Column; 17] = [
    of(Table::Users, "id", Kind::Number, "id|ids"),
    of(Table::Users, "name", Kind::Text, "name|names"),
    of(Table::Users, "email", Kind::Text, "email|emails|e-mail|e-mails|email address|email addresses"),
    of(Table::Users, "city", Kind::Text, "city|cities"),
    of(Table::Users, "country", Kind::Text, "country|countries"),
    of(Table::Users, "created_at", Kind::Date, "created_at|registration date|signup date|sign-up date"),
    of(Table::Orders, "id", Kind::Number, "id|ids"),
    of(Table::Orders, "status", Kind::Text, "status|statuses"),
    of(Table::Orders, "total", Kind::Number, "total|totals|amount|amounts|value"),
    of(Table::Orders, "ordered_at", Kind::Date, "ordered_at|order date|order dates"),
    of(Table::Items, "quantity", Kind::Number, "quantity|quantities"),
    of(Table::Items, "price", Kind::Number, "price|prices"),
    of(Table::Products, "id", Kind::Number, "id|ids"),
    of(Table::Products, "name", Kind::Text, "name|names"),
    of(Table::Products, "category", Kind::Text, "category|categories"),
    of(Table::Products, "price", Kind::Number, "price|prices|cost|costs"),
    of(Table::Products, "stock", Kind::Number, "stock|stocks"),
];

/// The column of a table by its name.
pub fn column(table: Table, name: &str) -> Option<&'static Column> {
    COLUMNS.iter().find(|column| column.table == table && column.name == name)
}

/// Whether a name is that of a column of a table, spoken of or not.
pub fn has(table: Table, name: &str) -> bool {
    let more: &[&str] = match table {
        Table::Users | Table::Products => &[],
        Table::Orders => &["user_id"],
        Table::Items => &["id", "order_id", "product_id"],
    };
    column(table, name).is_some() || more.contains(&name)
}

/// The values of the columns with texts.
pub struct Vocabulary {
    /// Each in lower case, as it stands there, and its column; longer ones first.
    values: Vec<(String, String, &'static Column)>,
}

impl Vocabulary {
    /// Reads what stands in a database.
    ///
    /// # Errors
    /// It is not the shop.
    pub fn read(database: &Database) -> Result<Self, String> {
        let mut values = Vec::new();
        for column in COLUMNS.iter().filter(|column| column.kind == Kind::Text) {
            for text in database.texts(column.table.name(), column.name)? {
                // A first name says who is meant.
                if column.table == Table::Users
                    && column.name == "name"
                    && let Some((first, _)) = text.split_once(' ')
                {
                    values.push((first.to_lowercase(), text.clone(), column));
                }
                values.push((text.to_lowercase(), text, column));
            }
        }
        values.sort_by_key(|(low, ..)| std::cmp::Reverse(low.split(' ').count()));
        Ok(Self { values })
    }

    /// The values that words begin with: how many words, the value, and its column. Of one length there may be several.
    pub fn at(&self, words: &[String]) -> Vec<(usize, &str, &'static Column)> {
        let mut found: Vec<(usize, &str, &'static Column)> = Vec::new();
        for (low, text, column) in &self.values {
            let of: Vec<&str> = low.split(' ').collect();
            let Some(there) = words.get(..of.len()) else { continue };
            // `laptops` are those called `Laptop`.
            let last = there.last().map_or("", String::as_str);
            let single = last.strip_suffix('s').unwrap_or(last);
            let begins = of.iter().zip(there).take(of.len() - 1).all(|(one, other)| one == other);
            let ends = of.last().is_some_and(|word| *word == last || *word == single);
            if begins && ends && found.first().is_none_or(|(length, ..)| *length == of.len()) {
                found.push((of.len(), text, column));
            }
        }
        found
    }
}
