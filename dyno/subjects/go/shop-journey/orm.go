package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"shopkit"
)

// The tables as GORM sees them.
type (
	product struct {
		ID          int64
		Category    int
		Name        string
		Description string
		Cents       int64
		Stock       int64
	}
	order struct {
		ID       int64
		Customer int64
		Cents    int64
		Made     time.Time `gorm:"autoCreateTime"`
	}
	orderLine struct {
		OrderID  int64 `gorm:"primaryKey"`
		Product  int64 `gorm:"primaryKey"`
		Quantity int
		Cents    int64
	}
)

// ormCatalogue asks for a page's products first, and then for each of them.
type ormCatalogue struct{ db *gorm.DB }

func (c ormCatalogue) Find(ctx context.Context, q shopkit.Query) ([]byte, error) {
	db := c.db.WithContext(ctx)
	if q.Product != 0 {
		found, err := one(db, q.Product)
		if err != nil {
			return nil, err
		}
		return json.Marshal(found)
	}
	which := db.Model(&product{}).Order("id").Limit(shopkit.PageSize)
	if q.InCategory {
		which = which.Where("category = ? AND id > ?", q.Category, q.After)
	} else {
		which = which.Where("name || ' ' || description ILIKE ?", "%"+q.Words+"%")
	}
	var ids []int64
	if err := which.Pluck("id", &ids).Error; err != nil {
		return nil, err
	}
	page := make([]shopkit.Product, 0, len(ids))
	for _, id := range ids {
		found, err := one(db, id)
		if err != nil {
			return nil, err
		}
		page = append(page, found)
	}
	return json.Marshal(page)
}

func one(db *gorm.DB, id int64) (shopkit.Product, error) {
	var p product
	err := db.Take(&p, id).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = fmt.Errorf("product %d: %w", id, shopkit.ErrNotFound)
	}
	return shopkit.Product{ID: p.ID, Category: p.Category, Name: p.Name, Description: p.Description, Cents: p.Cents, InStock: p.Stock > 0}, err
}

// ormOrders writes an order line by line.
type ormOrders struct{ db *gorm.DB }

func (s ormOrders) Place(ctx context.Context, customer int64, lines []shopkit.Line) (*shopkit.Order, error) {
	o := order{Customer: customer}
	var kept []shopkit.Line
	err := s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		for _, l := range lines {
			if err := takeOne(tx, &l); err != nil {
				return err
			}
			o.Cents += l.Cents * int64(l.Quantity)
			kept = append(kept, l)
		}
		if err := tx.Create(&o).Error; err != nil {
			return err
		}
		for _, l := range kept {
			if err := tx.Create(&orderLine{o.ID, l.Product, l.Quantity, l.Cents}).Error; err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &shopkit.Order{ID: o.ID, Customer: o.Customer, Cents: o.Cents, Made: o.Made, Lines: kept}, nil
}

// takeOne lowers the stock of a line's product, and reads its price.
func takeOne(tx *gorm.DB, l *shopkit.Line) error {
	taken := tx.Model(&product{}).Where("id = ? AND stock >= ?", l.Product, l.Quantity).Update("stock", gorm.Expr("stock - ?", l.Quantity))
	if taken.Error != nil {
		return taken.Error
	}
	if taken.RowsAffected == 0 {
		return fmt.Errorf("product %d: %w", l.Product, shopkit.ErrSoldOut)
	}
	var p product
	err := tx.Take(&p, l.Product).Error
	l.Cents = p.Cents
	return err
}

func (s ormOrders) Order(ctx context.Context, id int64) (*shopkit.Order, error) {
	db := s.db.WithContext(ctx)
	var o order
	if err := db.Take(&o, id).Error; err != nil {
		if errors.Is(err, gorm.ErrRecordNotFound) {
			err = fmt.Errorf("order %d: %w", id, shopkit.ErrNotFound)
		}
		return nil, err
	}
	var lines []shopkit.Line
	err := db.Model(&orderLine{}).Where("order_id = ?", id).Order("product").Find(&lines).Error
	return &shopkit.Order{ID: o.ID, Customer: o.Customer, Cents: o.Cents, Made: o.Made, Lines: lines}, err
}
